"""Pages on studies: a front page, and one for each paper, in HTML and in Markdown."""
