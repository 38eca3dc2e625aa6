import { Stack, Text } from '@mantine/core';
import { api, dataOf } from '../api/client.ts';
import type { Customer } from '../api/types.ts';
import { WhoChanged } from '../history/who-changed.tsx';
import { tell } from '../parts/told.tsx';
import { useDraft } from '../settings/draft.ts';
import { DraftForm } from '../settings/draft-form.tsx';
import { SaveBar } from '../settings/save-bar.tsx';
import { useSave } from '../settings/use-save.ts';
import { asSent, CustomerFields, draftOf, fieldsShown } from './customer-fields.tsx';
import { customerQuery } from './customer-queries.ts';
import { sourcesInWords } from './source-words.ts';
import classes from './workspace.module.css';

/** What the firm says of the customer, to be changed, and who changed it before. */
export default function CustomerDetails({ customer }: { customer: Customer }) {
  const { id } = customer;
  return (
    <Stack gap="lg" p="md" className={classes.addresses}>
      <Edit customer={customer} />
      <Sources customer={customer} />
      <WhoChanged
        queryKey={customerQuery(id).queryKey}
        ask={(query, signal) =>
          dataOf(api.GET('/ops/customers/{id}/history', { params: { path: { id }, query }, signal }))
        }
      />
    </Stack>
  );
}

function Edit({ customer }: { customer: Customer }) {
  const { id, name, phones, emails, version } = customer;
  const draft = useDraft(`customer:${id}`, draftOf(customer), version);
  const save = useSave({
    draft,
    queryKey: customerQuery(id).queryKey,
    send: (body, header) =>
      dataOf(api.PATCH('/ops/customers/{id}', { params: { path: { id }, header }, body: asSent(body) })),
    saved: (saved) => tell(`${saved.name} is saved.`),
  });
  return (
    <DraftForm className={classes.details} draft={draft} save={save}>
      <CustomerFields draft={draft.value} write={draft.write} problem={save.problem} />
      <SaveBar draft={draft} save={save} fields={fieldsShown} theirs={[name, ...phones, ...emails].join(', ')} />
    </DraftForm>
  );
}

function Sources({ customer }: { customer: Customer }) {
  const lines = sourcesInWords(customer);
  if (lines.length === 0) return null;
  return (
    <section aria-label="Who said so">
      <h2 className={classes.subtitle}>Who said so</h2>
      {lines.map((line) => (
        <Text key={line} size="sm">
          {line}
        </Text>
      ))}
    </section>
  );
}
