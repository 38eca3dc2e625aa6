import type { System } from '@ops/test-system/system';

export type Client = Awaited<ReturnType<System['client']>>;

/** A whole list, page by page; the path has a query already. `last` is the last page: what stands beside its data. */
export async function everyPage<T, Page = object>(client: Client, path: string) {
  const data: T[] = [];
  let cursor: string | null = '';
  let last = {} as Page;
  while (cursor !== null) {
    const { body } = await client.get(cursor === '' ? path : `${path}&cursor=${cursor}`);
    const page = body as Page & { data: T[]; next_cursor: string | null };
    data.push(...page.data);
    last = page;
    cursor = page.next_cursor;
  }
  return { data, last };
}
