import { useQuery } from '@tanstack/react-query';
import { asProblem } from '../api/problem.ts';
import { Failed, Loading } from '../parts/states.tsx';
import { Proposals } from './proposals.tsx';
import classes from './retention.module.css';
import { RetentionForm } from './retention-form.tsx';
import { RetentionNow } from './retention-now.tsx';
import { retentionQuery } from './retention-queries.ts';
import { RetentionRuns } from './retention-runs.tsx';
import { ForAdmins, Section } from './section.tsx';

/** How long everything is kept, and what was removed. */
export const RetentionPage = () => (
  <ForAdmins>
    <Section
      title="Retention"
      words="How long everything is kept. What is past its time is removed each night: of a communication the words go, and that there was one stays. Longer is so at once; shorter is proposed, confirmed by another admin, and so a day later."
    >
      <div className={classes.parts}>
        <Policy />
        <RetentionNow />
      </div>
      <Proposals />
      <RetentionRuns />
    </Section>
  </ForAdmins>
);

function Policy() {
  const { data, error, isLoadingError, isPending, refetch } = useQuery(retentionQuery);
  if (isPending) return <Loading rows={7} />;
  if (isLoadingError) return <Failed problem={asProblem(error)} again={refetch} />;
  return <RetentionForm policy={data} />;
}
