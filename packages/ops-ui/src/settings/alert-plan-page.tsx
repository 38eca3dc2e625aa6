import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import { toldByNobody } from '../api/told-by-nobody.ts';
import type { AlertPlan } from '../api/types.ts';
import { LastChange } from '../history/last-change.tsx';
import { useToday } from '../parts/dates.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { tell } from '../parts/told.tsx';
import { rungs } from '../renewals/rung-names.ts';
import classes from './alert-plan.module.css';
import { planOf } from './alert-plan.ts';
import { AlertSteps } from './alert-steps.tsx';
import { useDraft } from './draft.ts';
import { DraftForm } from './draft-form.tsx';
import { FallThrough } from './fall-through.tsx';
import { OutreachSteps } from './outreach-steps.tsx';
import { QuietHours } from './quiet-hours.tsx';
import { SaveBar } from './save-bar.tsx';
import { OnlyAdmins, Section, useIsAdmin } from './section.tsx';
import { useSave } from './use-save.ts';

const planQuery = queryOptions({
  ...toldByNobody,
  queryKey: ['alert-plan'],
  queryFn: ({ signal }) => dataOf(api.GET('/ops/alert-plan', { signal })),
  refetchOnMount: 'always',
});

/** What happens at each step before and after a date. */
export function AlertPlanPage() {
  const isAdmin = useIsAdmin();
  const { data, error, isPending, refetch } = useQuery(planQuery);
  return (
    <Section
      title="Alert plan"
      words="What happens at each rung: how the customer is written to, and which task staff get. Alerts that were decided before stay as they were decided."
      action={!isAdmin && <OnlyAdmins />}
    >
      {isPending && <Loading rows={8} />}
      {error && <Failed problem={asProblem(error)} again={refetch} />}
      {data && <Form plan={data} />}
    </Section>
  );
}

function Form({ plan }: { plan: AlertPlan }) {
  const isAdmin = useIsAdmin();
  const today = useToday();
  const draft = useDraft('alert-plan', planOf(plan), plan.version);
  const save = useSave({
    draft,
    queryKey: planQuery.queryKey,
    send: (body, header) => dataOf(api.PUT('/ops/alert-plan', { params: { header }, body })),
    saved: () => tell('The alert plan is saved.'),
  });
  const { steps, fall_through, quiet_hours } = draft.value;
  const parts = { disabled: !isAdmin, wrong: save.field };
  return (
    <DraftForm className={classes.plan} draft={draft} save={save}>
      <AlertSteps {...parts} steps={steps} write={(changed) => draft.write({ steps: changed })} />
      <OutreachSteps {...parts} steps={steps} today={today} write={(changed) => draft.write({ steps: changed })} />
      <FallThrough {...parts} order={fall_through} write={(order) => draft.write({ fall_through: order })} />
      <QuietHours {...parts} hours={quiet_hours} write={(hours) => draft.write({ quiet_hours: hours })} />
      <LastChange
        at={plan.updated_at}
        by={plan.updated_by}
        queryKey={planQuery.queryKey}
        ask={(query, signal) => dataOf(api.GET('/ops/alert-plan/history', { params: { query }, signal }))}
      />
      {isAdmin && <SaveBar draft={draft} save={save} fields={fieldsShown} />}
    </DraftForm>
  );
}

const fieldsShown = [
  'fall_through',
  'quiet_hours.from',
  'quiet_hours.until',
  ...rungs.flatMap((rung) =>
    [0, 1, 2, 3, 4, 5].flatMap((n) =>
      ['after_days', 'channels'].map((field) => `steps.${rung}.outreach.${n}.${field}`),
    ),
  ),
];
