import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { asProblem } from '../api/problem.ts';
import type { Foreseen } from '../api/types.ts';
import { dayOf } from '../parts/dates.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { DayField } from './day-field.tsx';
import classes from './dry-run.module.css';
import { dryRunQuery } from './dry-run-query.ts';
import { ForeseenTable } from './foreseen-table.tsx';
import { RefreshNow } from './refresh-now.tsx';
import { RefreshReport } from './refresh-report.tsx';
import { useRefresh } from './refresh-run.ts';
import { renewalsInWords } from './refresh-words.ts';

const route = getRouteApi('/renewals/dry-run');

/** Who would be alerted by a refresh, who would not, and why. */
export function DryRunPage() {
  const { as_of } = route.useSearch();
  const navigate = route.useNavigate();
  const { isRunning } = useRefresh();
  // While a refresh changes all of it, the lists stand still.
  const query = useInfiniteQuery({ ...dryRunQuery(as_of), enabled: !isRunning });
  const { data, error, isPending, isPlaceholderData, refetch } = query;
  const [first] = data?.pages ?? [];
  return (
    <>
      <PageHeader
        title="Who would be alerted"
        filters={
          <>
            <DayField
              label="On which day"
              value={as_of ?? first?.as_of ?? ''}
              choose={(day) => navigate({ search: { as_of: day }, replace: true })}
            />
            {as_of !== undefined && (
              <Button variant="default" onClick={() => navigate({ search: {} })}>
                Today
              </Button>
            )}
            <span role="status" className={classes.total}>
              {first && !isPlaceholderData && totalInWords(first.would_fire)}
            </span>
          </>
        }
        action={as_of === undefined && <RefreshNow label="Run it now" />}
      />
      <RefreshReport />
      {isPending && !isRunning && <Loading rows={8} />}
      {error && <Failed problem={asProblem(error)} again={refetch} />}
      {first && (
        <Lists
          day={first.as_of}
          wouldFire={first.would_fire}
          foreseen={data?.pages.flatMap((page) => page.data) ?? []}
          isWhole={!query.hasNextPage}
        />
      )}
      <ShowMore m="lg" query={query} />
    </>
  );
}

const totalInWords = (wouldFire: number) =>
  wouldFire === 0 ? 'Nobody would be alerted' : `${renewalsInWords(wouldFire)} would be alerted`;

interface ListsProps {
  day: string;
  wouldFire: number;
  foreseen: readonly Foreseen[];
  isWhole: boolean;
}

function Lists({ day, wouldFire, foreseen, isWhole }: ListsProps) {
  const would = foreseen.filter(({ fires }) => fires !== null);
  const freed = foreseen.filter(({ because }) => because === 'after_hold');
  const follow = foreseen.filter(({ goes, because }) => goes !== null && because !== 'after_hold');
  const wouldNot = foreseen.filter(({ fires, goes }) => fires === null && goes === null);
  return (
    <>
      <section aria-labelledby="would">
        <h2 id="would" className={classes.heading}>
          Would be alerted
          {would.length < wouldFire && `: the first ${would.length.toLocaleString()}`}
        </h2>
        {would.length === 0 ? (
          <Empty>Nothing new is due on {dayOf(day)}, so nobody would be alerted.</Empty>
        ) : (
          <ForeseenTable foreseen={would} withAlert leaves />
        )}
      </section>
      {freed.length > 0 && (
        <section aria-labelledby="freed">
          <h2 id="freed" className={classes.heading}>
            Would be sent what a hold kept back
          </h2>
          <ForeseenTable foreseen={freed} leaves />
        </section>
      )}
      {follow.length > 0 && (
        <section aria-labelledby="follow">
          <h2 id="follow" className={classes.heading}>
            Would follow an alert
          </h2>
          <ForeseenTable foreseen={follow} leaves />
        </section>
      )}
      <section aria-labelledby="would-not">
        <h2 id="would-not" className={classes.heading}>
          Would not be alerted{isWhole && `: ${wouldNot.length.toLocaleString()}`}
        </h2>
        <Text size="sm" c="var(--text-quiet)" className={classes.note}>
          What is due within 120 days of {dayOf(day)} or is past due. What is due later than that would not be alerted
          either and is not listed.
        </Text>
        {wouldNot.length === 0 && (
          <Empty>{isWhole ? 'Nothing else is due by then.' : 'Further down; show more to come to it.'}</Empty>
        )}
        {wouldNot.length > 0 && <ForeseenTable foreseen={wouldNot} />}
      </section>
    </>
  );
}
