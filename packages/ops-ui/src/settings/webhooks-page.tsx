import { NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { WebhookDelivery } from '../api/types.ts';
import { When } from '../parts/dates.tsx';
import { Beside } from '../parts/drawer.tsx';
import { Listed } from '../parts/listed.tsx';
import table from '../parts/table.module.css';
import { counted } from '../parts/words.ts';
import { ForAdmins, Section } from './section.tsx';
import classes from './settings.module.css';
import { type WebhookSearch, webhookSearch } from './settings-search.ts';
import { WebhookDrawer } from './webhook-drawer.tsx';
import { WebhookOutcome } from './webhook-outcome.tsx';
import { webhooksQuery } from './webhook-queries.ts';
import { outcomeWords, providerNames } from './webhook-words.ts';

const route = getRouteApi('/settings/webhooks');

/** What providers posted, and what was made of it. */
export function WebhooksPage() {
  const { delivery } = route.useSearch();
  const navigate = route.useNavigate();
  const close = () => navigate({ search: (before) => ({ ...before, delivery: undefined }) });
  return (
    <ForAdmins>
      <Beside drawer={delivery && <WebhookDrawer key={delivery} id={delivery} close={close} />}>
        <Section
          title="Webhook deliveries"
          words="What providers posted with a good signature: messages, receipts, bounces. What was not understood can be read again after the reader learned something."
          filters={<Filters />}
        >
          <List />
        </Section>
      </Beside>
    </ForAdmins>
  );
}

function Filters() {
  const { provider = '', outcome = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const choose = (by: Record<string, string>) =>
    navigate({ search: (before) => webhookSearch({ ...before, ...by, delivery: undefined }) });
  return (
    <>
      <NativeSelect
        value={provider}
        onChange={({ currentTarget }) => choose({ provider: currentTarget.value })}
        data={[{ value: '', label: 'All providers' }, ...optionsOf(providerNames)]}
        aria-label="Provider"
      />
      <NativeSelect
        value={outcome}
        onChange={({ currentTarget }) => choose({ outcome: currentTarget.value })}
        data={[{ value: '', label: 'All outcomes' }, ...optionsOf(outcomeWords)]}
        aria-label="Outcome"
      />
    </>
  );
}

const optionsOf = (names: Record<string, string>) => Object.entries(names).map(([value, label]) => ({ value, label }));

function List() {
  const search = route.useSearch();
  const query = useInfiniteQuery(webhooksQuery(search));
  return (
    <Listed
      query={query}
      empty={search.provider || search.outcome ? 'Nothing came that fits this.' : 'No provider posted anything yet.'}
      skeleton={{ rows: 10 }}
    >
      {(deliveries) => (
        <table className={table.table}>
          <thead>
            <tr>
              <th>Came</th>
              <th>Provider</th>
              <th>Outcome</th>
              <th className={classes.number}>Found</th>
              <th className={classes.number}>Repeats</th>
              <th className={classes.number}>Size</th>
            </tr>
          </thead>
          <tbody>
            {deliveries.map((delivery) => (
              <Row key={delivery.id} delivery={delivery} search={search} />
            ))}
          </tbody>
        </table>
      )}
    </Listed>
  );
}

function Row({ delivery, search }: { delivery: WebhookDelivery; search: WebhookSearch }) {
  const { id, provider, reason, items, repeats, size, received_at } = delivery;
  return (
    <tr className={id === search.delivery ? classes.chosen : undefined}>
      <td data-label="Came">
        <Link to="/settings/webhooks" search={{ ...search, delivery: id }} className={table.main}>
          <When at={received_at} />
        </Link>
      </td>
      <td data-label="Provider">{providerNames[provider]}</td>
      <td data-label="Outcome">
        <span>
          <WebhookOutcome delivery={delivery} />
          {reason && <span className={classes.quiet}>: {reason}</span>}
        </span>
      </td>
      <td data-label="Found" className={classes.number}>
        {items}
      </td>
      <td data-label="Repeats" className={classes.number}>
        {repeats}
      </td>
      <td data-label="Size" className={classes.number}>
        {counted(size, 'byte')}
      </td>
    </tr>
  );
}
