/** Gives somebody a file that is made here. */
export function saveFile(name: string, text: string, mediaType: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: mediaType }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has not read it yet when the click returns.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
