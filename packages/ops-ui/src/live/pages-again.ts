interface Item {
  id: string;
}

interface Page {
  data: Item[];
  next_cursor: string | null;
}

/** A list as far as somebody went through it: each page, and what it was asked for with. */
export interface Pages<P extends Page = Page> {
  pages: P[];
  pageParams: unknown[];
}

/** Which pages to ask for again after these changed: the first, where what is new comes in, and those they stand on. */
export const pagesToAsk = ({ pages }: Pages, changed: ReadonlySet<string>): number[] =>
  pages.flatMap(({ data }, n) => (n === 0 || data.some(({ id }) => changed.has(id)) ? [n] : []));

/**
 * The list with some of its pages as they are now. What a page lost and nobody changed was pushed towards the next page,
 * which begins where it began before; what changed and is not there any more is gone. Nothing stands in it twice.
 */
export function withFresh<P extends Page>(
  { pages, pageParams }: Pages<P>,
  fresh: ReadonlyMap<number, P>,
  changed: ReadonlySet<string>,
): Pages<P> {
  const seen = new Set<string>();
  const once = (items: Item[]) => items.filter(({ id }) => !seen.has(id) && seen.add(id));
  const isLast = (n: number) => n === pages.length - 1;
  // First what is known to be true now, so that an older word of it further up gives way.
  const certain = new Set([...fresh.values()].flatMap(({ data }) => data.map(({ id }) => id)));
  return {
    pageParams,
    pages: pages.map((page, n) => {
      const now = fresh.get(n);
      const stayed = page.data.filter(({ id }) => !certain.has(id) && (!now || !changed.has(id)));
      const data = once([...(now?.data ?? []), ...stayed]);
      return { ...page, data, next_cursor: now && isLast(n) ? now.next_cursor : page.next_cursor };
    }),
  };
}
