package sampletest

import (
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Block is a block of code of a text in Markdown.
type Block struct{ Language, Text string }

// Blocks returns the blocks of code of a text in Markdown, in their order.
func Blocks(markdown []byte) (list []Block) {
	tree := goldmark.DefaultParser().Parse(text.NewReader(markdown))
	_ = ast.Walk(tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if block, is := node.(*ast.FencedCodeBlock); is && entering {
			list = append(list, Block{string(block.Language(markdown)), string(block.Lines().Value(markdown))})
		}
		return ast.WalkContinue, nil
	})
	return list
}
