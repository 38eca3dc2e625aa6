import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import { asProblem } from '../api/problem.ts';
import type { AuditEntry, Customer } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { When } from '../parts/dates.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { tell } from '../parts/told.tsx';
import { useDraft } from '../settings/draft.ts';
import { DraftForm } from '../settings/draft-form.tsx';
import { SaveBar } from '../settings/save-bar.tsx';
import { useSave } from '../settings/use-save.ts';
import { asSent, CustomerFields, draftOf, fieldsShown } from './customer-fields.tsx';
import { customerQuery } from './customer-queries.ts';
import { changesInWords } from './history-words.ts';
import classes from './workspace.module.css';

/** What the firm says of the customer, to be changed, and who changed it before. */
export default function CustomerDetails({ customer }: { customer: Customer }) {
  return (
    <Stack gap="lg" p="md" className={classes.addresses}>
      <Edit customer={customer} />
      <History customerId={customer.id} />
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

function History({ customerId }: { customerId: string }) {
  const query = useInfiniteQuery(
    inPages(['customer', customerId, 'history'], ({ cursor, signal }) =>
      dataOf(
        api.GET('/ops/customers/{id}/history', {
          params: { path: { id: customerId }, query: { limit: 20, ...cursor } },
          signal,
        }),
      ),
    ),
  );
  const { data, error, isPending, refetch } = query;
  if (isPending) return <Loading />;
  if (!data) return <Failed problem={asProblem(error)} again={refetch} />;
  const entries = data.pages.flatMap((page) => page.data);
  if (entries.length === 0) return null;
  return (
    <section aria-label="Who changed what">
      <h2 className={classes.subtitle}>Who changed what</h2>
      <ol className={classes.lines}>
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ol>
      <ShowMore size="compact-sm" variant="subtle" query={query}>
        Older
      </ShowMore>
    </section>
  );
}

function Entry({ entry: { actor, role, at, changes } }: { entry: AuditEntry }) {
  const nameOf = useAgentNames();
  return (
    <li>
      <span>
        {role === 'automation' ? `${actor} (automation)` : nameOf(actor)}: {changesInWords(changes, nameOf)}
      </span>
      <Text size="sm" c="var(--text-quiet)" ml="auto">
        <When at={at} />
      </Text>
    </li>
  );
}
