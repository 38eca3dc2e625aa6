/**
 * What the stream does not tell of, such as settings, changes seldom: it is looked at again by whoever comes to it, or back to
 * the page, a minute later.
 */
export const toldByNobody = { staleTime: 60_000, refetchOnWindowFocus: true } as const;
