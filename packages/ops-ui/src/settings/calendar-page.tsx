import { NumberInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, dataOf } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { Calendar } from '../api/types.ts';
import { LastChange } from '../history/last-change.tsx';
import { useToday } from '../parts/dates.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { tell } from '../parts/told.tsx';
import plan from './alert-plan.module.css';
import classes from './calendar.module.css';
import { draftOf } from './calendar-days.ts';
import { OwnDays, PublicHolidays } from './calendar-holidays.tsx';
import { calendarQuery } from './calendar-queries.ts';
import { CalendarWeek } from './calendar-week.tsx';
import { CalendarYearView } from './calendar-year.tsx';
import { useDraft } from './draft.ts';
import { DraftForm } from './draft-form.tsx';
import { SaveBar } from './save-bar.tsx';
import { OnlyAdmins, Section, useIsAdmin } from './section.tsx';
import { useSave } from './use-save.ts';

const route = getRouteApi('/settings/calendar');

/** When the firm works, and so when its alerts leave. */
export function CalendarPage() {
  const isAdmin = useIsAdmin();
  const { data, error, isPending, refetch } = useQuery(calendarQuery);
  return (
    <Section
      title="Calendar"
      words="When the firm works. Alerts leave in these hours, unless their date would pass; tasks of alerts are due on these days."
      action={!isAdmin && <OnlyAdmins />}
    >
      {isPending && <Loading rows={8} />}
      {error && <Failed problem={asProblem(error)} again={refetch} />}
      {data && <Form calendar={data} />}
    </Section>
  );
}

function Form({ calendar }: { calendar: Calendar }) {
  const isAdmin = useIsAdmin();
  const { year = Number(useToday().slice(0, 4)) } = route.useSearch();
  const navigate = route.useNavigate();
  const saved = draftOf(calendar);
  const draft = useDraft('calendar', saved, calendar.version);
  const save = useSave({
    draft,
    queryKey: calendarQuery.queryKey,
    send: (body, header) => dataOf(api.PUT('/ops/calendar', { params: { header }, body })),
    saved: () => tell('The calendar is saved.'),
  });
  const part = { draft: draft.value, disabled: !isAdmin, write: draft.write, wrong: save.field };
  const fields = ['working_days', 'hours.from', 'hours.until', 'country', 'region', 'answer_within_hours'];
  const ofDays = draft.value.holidays.flatMap((_, at) => [`holidays.${at}.date`, `holidays.${at}.name`]);
  return (
    <div className={classes.page}>
      <DraftForm className={plan.plan} draft={draft} save={save}>
        <CalendarWeek {...part} />
        <PublicHolidays {...part} />
        <OwnDays {...part} />
        <NumberInput
          className={classes.answer}
          label="Customers are answered within"
          suffix=" working hours"
          value={draft.value.answer_within_hours}
          onChange={(value) => draft.write({ answer_within_hours: Number(value) })}
          disabled={!isAdmin}
          error={save.field('answer_within_hours')}
          allowDecimal={false}
          allowNegative={false}
          clampBehavior="none"
        />
        <LastChange
          at={calendar.updated_at}
          by={calendar.updated_by}
          queryKey={calendarQuery.queryKey}
          ask={(query, signal) => dataOf(api.GET('/ops/calendar/history', { params: { query }, signal }))}
        />
        {isAdmin && <SaveBar draft={draft} save={save} fields={[...fields, ...ofDays]} />}
      </DraftForm>
      <CalendarYearView
        year={year}
        choose={(chosen) => navigate({ search: { year: chosen }, replace: true })}
        saved={saved}
        typed={draft.value}
        isDirty={draft.isDirty}
      />
    </div>
  );
}
