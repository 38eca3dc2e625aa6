/** What each row of a list is opened by has the focus while the row is in hand: on to the one after it, or before. */
export function stepThrough(list: HTMLElement | null, row: Element | null | undefined, by: 1 | -1): void {
  const links = [...(list?.querySelectorAll<HTMLElement>('[data-opens]') ?? [])];
  const at = links.findIndex((link) => row?.contains(link));
  links[at === -1 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
}
