/** Gives somebody a file that the page has. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has not read it yet when the click returns.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
