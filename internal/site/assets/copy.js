// Copies what a button names. Without scripts the buttons stay hidden, and the
// text can be selected by hand.
for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  const status = document.getElementById(button.dataset.status);
  button.hidden = false;
  button.addEventListener("click", async () => {
    let copied = true;
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {
      copied = false;
      window.getSelection().selectAllChildren(source);
    }
    status.textContent = copied ? status.dataset.copied : status.dataset.selected;
  });
}
