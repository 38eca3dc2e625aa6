export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** A whole page; its parts come escaped. `head` is where it gets its looks from. */
export const htmlPage = (title: string, head: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  ${head}
</head>
<body><main>${body}</main></body>
</html>
`;
