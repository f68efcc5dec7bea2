// Nothing on a page depends on this script. It sends the form of filters as soon as one changes.
"use strict";
for (const form of document.querySelectorAll("form[data-auto]")) {
  form.addEventListener("change", () => form.requestSubmit());
}
// Empty fields stay out of the address.
for (const form of document.querySelectorAll("form[method=get]")) {
  form.addEventListener("formdata", (event) => {
    for (const [name, value] of [...event.formData]) {
      if (value === "") event.formData.delete(name);
    }
  });
}
