import { Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { asProblem } from '../api/problem.ts';
import type { CustomerDetail } from '../api/types.ts';
import { queueSearch } from '../attention/waiting-search.ts';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { customerQuery } from '../customers/customer-queries.ts';
import { ActButton } from '../parts/act-button.tsx';
import { inOwnDays } from '../parts/dates.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { takeFocus } from '../parts/take-focus.ts';
import classes from './compare.module.css';
import { Comparison } from './comparison.tsx';
import { mergeInto } from './merge-actions.ts';
import { usualPair } from './merging.ts';
import { putAway } from './put-away.ts';

const route = getRouteApi('/customers/$id/merge');
const title = 'Are they the same?';

/** Two customers side by side, for whoever says whether they are one. */
export function ComparePage() {
  const { id } = route.useParams();
  const { with: other } = route.useSearch();
  return other === undefined ? <Choose id={id} /> : <Two key={`${id} ${other}`} id={id} other={other} />;
}

function Choose({ id }: { id: string }) {
  const navigate = route.useNavigate();
  const { data: customer } = useQuery(customerQuery(id));
  return (
    <>
      <PageHeader title={title} action={<BackTo id={id}>Back to {customer?.name ?? id}</BackTo>} />
      <div className={classes.choose}>
        <CustomerPicker
          ref={takeFocus}
          label={`Who ${customer?.name ?? id} may be as well`}
          value={null}
          onPick={(picked) => navigate({ search: (before) => ({ ...before, with: picked.id }), replace: true })}
        />
      </div>
    </>
  );
}

function Two({ id, other }: { id: string; other: string }) {
  const { stays: chosen } = route.useSearch();
  const one = useQuery(customerQuery(id));
  const two = useQuery(customerQuery(other));
  const failed = [one, two].find(({ data, error }) => !data && error);
  if (failed) return <Failed problem={asProblem(failed.error)} again={failed.refetch} />;
  if (!one.data || !two.data) return <Loading rows={8} />;
  if (one.data.id === two.data.id) return <AreOne customer={one.data} />;
  const { stays } = usualPair(one.data, two.data);
  const pair = [one.data, two.data] as const;
  return <Pair pair={(chosen ?? stays) === pair[0].id ? pair : [pair[1], pair[0]]} from={one.data} />;
}

function AreOne({ customer: { id, name, merged_from } }: { customer: CustomerDetail }) {
  return (
    <>
      <PageHeader title={title} action={<BackTo id={id}>Open {name}</BackTo>} />
      <Text className={classes.what}>
        {merged_from.length > 0 ? `They are one already: ${name}, ${id}.` : `That is ${name} once more.`}
      </Text>
    </>
  );
}

interface PairProps {
  pair: readonly [stays: CustomerDetail, goes: CustomerDetail];
  /** Whom somebody came from. */
  from: CustomerDetail;
}

function Pair({ pair: [stays, goes], from }: PairProps) {
  const navigate = route.useNavigate();
  const through = queueSearch({ ...route.useSearch() });
  const merge = useMutation({
    mutationFn: () => mergeInto(goes.id, stays.id),
    onSuccess: ({ id }) => navigate({ to: '/customers/$id', params: { id }, search: through, replace: true }),
  });
  const swap = () => {
    merge.reset();
    navigate({ search: (before) => ({ ...before, stays: goes.id }), replace: true });
  };
  return (
    <>
      <PageHeader
        title={title}
        action={
          <>
            <BackTo id={from.id} leave={() => putAway(stays.id, goes.id)}>
              Not the same
            </BackTo>
            <Button variant="default" onClick={swap}>
              Let {goes.id} stay instead
            </Button>
            <ActButton isPending={merge.isPending} act={() => merge.mutate()}>
              Merge {goes.id} into {stays.id}
            </ActButton>
          </>
        }
      />
      <Text className={classes.what}>
        All of {goes.id} goes to {stays.id}: what was said, dates, tasks and addresses, and what still comes for{' '}
        {goes.id}. It can be taken back for 30 days.
      </Text>
      {merge.error && (
        <Text className={classes.what} role="alert">
          Not merged. {inOwnDays(asProblem(merge.error).message)}
        </Text>
      )}
      <Comparison stays={stays} goes={goes} />
    </>
  );
}

const BackTo = ({ id, leave, children }: { id: string; leave?: () => void; children: ReactNode }) => {
  const through = queueSearch({ ...route.useSearch() });
  return (
    <Button
      variant="subtle"
      color="gray"
      onClick={leave}
      renderRoot={(props) => <Link to="/customers/$id" params={{ id }} search={through} {...props} />}
    >
      {children}
    </Button>
  );
};
