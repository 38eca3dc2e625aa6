import { Button } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { SignIn } from '../api/types.ts';
import { instantOf } from '../parts/dates.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import table from '../parts/table.module.css';
import { tell, tellProblem } from '../parts/told.tsx';
import { counted } from '../parts/words.ts';
import { browserInWords } from './browser-words.ts';
import { Section } from './section.tsx';
import classes from './settings.module.css';

/** Asked for anew whenever somebody looks: nothing tells of it. */
const signInsQuery = queryOptions({
  queryKey: ['sign-ins'],
  queryFn: ({ signal }) => dataOf(api.GET('/ops/me/sessions', { signal })),
  staleTime: 0,
  refetchOnWindowFocus: true,
});

/** Where whoever looks is signed in: what they do not know, they end. */
export function SignInsPage() {
  const { data, isPending, error, refetch } = useQuery(signInsQuery);
  const found = data?.data ?? [];
  return (
    <Section
      title="Your sign-ins"
      words="The browsers you are signed in with. Sign out where you do not know one, or left one open: it ends at once, and what is open there closes."
      action={found.length > 1 && <EndOthers />}
    >
      {isPending && <Loading rows={2} />}
      {error && !data && <Failed problem={asProblem(error)} again={refetch} />}
      {data && <List signIns={found} />}
    </Section>
  );
}

function useEnded() {
  const queries = useQueryClient();
  return {
    onSuccess: ({ ended }: { ended: number }) =>
      tell(ended === 0 ? 'It had ended by then.' : `Signed out in ${counted(ended, 'browser')}.`),
    onSettled: () => queries.invalidateQueries(signInsQuery),
    onError: tellProblem,
  };
}

function EndOthers() {
  const endOthers = useMutation({
    ...useEnded(),
    mutationFn: () => dataOf(api.POST('/ops/me/sessions/end-others')),
  });
  return (
    <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
      Sign out everywhere else
    </Button>
  );
}

const List = ({ signIns }: { signIns: readonly SignIn[] }) => (
  <table className={table.table}>
    <thead>
      <tr>
        <th>Browser</th>
        <th>From</th>
        <th>Since</th>
        <th>Last used</th>
        <th>Ends</th>
        <th>
          <span className="visually-hidden">What you can do</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {signIns.map((signIn) => (
        <Row key={signIn.id} signIn={signIn} />
      ))}
    </tbody>
  </table>
);

const Row = ({ signIn: { id, browser, address, began_at, used_at, ends_at, current } }: { signIn: SignIn }) => (
  <tr>
    <td data-label="Browser" title={browser} className={classes.whole}>
      {browserInWords(browser)}
    </td>
    <td data-label="From">{address}</td>
    <td data-label="Since">{instantOf(began_at)}</td>
    <td data-label="Last used">{current ? 'now, here' : instantOf(used_at)}</td>
    <td data-label="Ends">{instantOf(ends_at)}</td>
    <td>{!current && <End id={id} />}</td>
  </tr>
);

function End({ id }: { id: string }) {
  const end = useMutation({
    ...useEnded(),
    mutationFn: () => dataOf(api.POST('/ops/me/sessions/{id}/end', { params: { path: { id } } })),
  });
  return (
    <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
      Sign out
    </Button>
  );
}
