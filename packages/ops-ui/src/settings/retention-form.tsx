import { NumberInput } from '@mantine/core';
import { api, dataOf } from '../api/client.ts';
import type { Proposal, RetentionPolicy } from '../api/types.ts';
import { LastChange } from '../history/last-change.tsx';
import { tell } from '../parts/told.tsx';
import { useDraft } from './draft.ts';
import { DraftForm } from './draft-form.tsx';
import classes from './retention.module.css';
import { retentionQuery } from './retention-queries.ts';
import { daysAsYears, subjectNames, subjects } from './retention-words.ts';
import { SaveBar } from './save-bar.tsx';
import { useSave } from './use-save.ts';

const proposedNow = ({ status }: Proposal) =>
  tell(
    status === 'PROPOSED'
      ? 'What is shorter is proposed; another admin confirms it below.'
      : 'What is shorter takes effect in a day, unless it is called off below.',
  );

export function RetentionForm({ policy }: { policy: RetentionPolicy }) {
  const draft = useDraft('retention', policy.keep_days, policy.version);
  const save = useSave({
    draft,
    queryKey: ['retention'],
    send: (keep_days, header) => dataOf(api.PUT('/ops/retention', { params: { header }, body: { keep_days } })),
    saved: ({ proposal }) => {
      if (proposal) return proposedNow(proposal);
      tell('It is kept for that long from now on.');
    },
  });
  return (
    <DraftForm className={classes.form} draft={draft} save={save}>
      <h3 className={classes.heading}>Days everything is kept</h3>
      {subjects.map((subject) => (
        <NumberInput
          key={subject}
          label={subjectNames[subject]}
          suffix=" days"
          value={draft.value[subject]}
          onChange={(value) => draft.write({ [subject]: Number(value) })}
          description={daysAsYears(draft.value[subject])}
          error={save.field(`keep_days.${subject}`)}
          allowDecimal={false}
          allowNegative={false}
          clampBehavior="none"
          thousandSeparator
        />
      ))}
      <LastChange
        at={policy.updated_at}
        by={policy.updated_by}
        queryKey={retentionQuery.queryKey}
        ask={(query, signal) => dataOf(api.GET('/ops/retention/history', { params: { query }, signal }))}
      />
      <SaveBar draft={draft} save={save} fields={subjects.map((subject) => `keep_days.${subject}`)} />
    </DraftForm>
  );
}
