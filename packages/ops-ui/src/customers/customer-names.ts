import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';

const gatherMs = 10;
/** The service answers no more at once. */
const mostAtOnce = 50;

type Names = ReadonlyMap<string, string>;

interface Batch {
  ids: Set<string>;
  names: Promise<Names>;
}

let gathering: Batch | undefined;

/** Names that are asked for in one moment come in one answer: a list of tasks has a customer in each row. */
async function nameOf(id: string): Promise<string | null> {
  if (gathering === undefined || gathering.ids.size === mostAtOnce) gathering = gather();
  gathering.ids.add(id);
  return (await gathering.names).get(id) ?? null;
}

function gather(): Batch {
  const ids = new Set<string>();
  const names = new Promise((resolve) => setTimeout(resolve, gatherMs)).then(() => {
    if (gathering?.ids === ids) gathering = undefined;
    return fetchNames([...ids]);
  });
  return { ids, names };
}

async function fetchNames(ids: readonly string[]): Promise<Names> {
  const query = { ids: ids.join(','), limit: mostAtOnce };
  const { data } = await dataOf(api.GET('/ops/customers', { params: { query } }));
  return new Map(data.map(({ id, name }) => [id, name]));
}

/** Null: nobody has this id. Another name is heard of as any change of the customer is. */
export const customerNameQuery = (id: string) =>
  queryOptions({ queryKey: ['customer', id, 'name'], queryFn: () => nameOf(id) });
