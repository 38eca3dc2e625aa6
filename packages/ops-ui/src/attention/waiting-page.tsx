import { Button, NativeSelect, SegmentedControl } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { AttentionItem } from '../api/types.ts';
import { FormerMark } from '../customers/former-mark.tsx';
import { useAgentNames } from '../parts/agents.tsx';
import { ChannelIcon, channelNames } from '../parts/channels.tsx';
import { dayOf, instantOf, useNow, When } from '../parts/dates.tsx';
import { Former } from '../parts/former.tsx';
import { GiveTo } from '../parts/give-to.tsx';
import { KeyHelp } from '../parts/key-help.tsx';
import { Listed } from '../parts/listed.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import table from '../parts/table.module.css';
import { UnreadBadge } from '../parts/unread-badge.tsx';
import { useWhose } from '../parts/whose.ts';
import { useServiceNames } from '../renewals/service-types.ts';
import { beDone, giveCustomer } from './attention-actions.ts';
import { waitingQuery } from './attention-queries.ts';
import { SnoozeMenu } from './snooze-menu.tsx';
import { listKeys, useListKeys } from './use-list-keys.ts';
import classes from './waiting.module.css';
import { isLate } from './waiting.ts';
import type { WaitingChannel, WaitingView } from './waiting-search.ts';

const route = getRouteApi('/waiting');

/** Customers who wait for an answer, the longest first. */
export function WaitingPage() {
  const { view = 'mine', channel } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery(waitingQuery(view, channel));
  const isLeftOut = query.data?.pages.some(({ left_out }) => left_out.length > 0);
  return (
    <>
      <PageHeader
        title="Waiting"
        filters={
          <>
            <SegmentedControl
              value={view}
              onChange={(value) => navigate({ search: (before) => ({ ...before, view: value as WaitingView }) })}
              data={[
                { value: 'mine', label: 'Mine' },
                { value: 'nobody', label: 'Nobody’s' },
                { value: 'all', label: 'All' },
                { value: 'snoozed', label: 'Snoozed' },
              ]}
              aria-label="Whose customers"
            />
            <NativeSelect
              value={channel ?? ''}
              onChange={({ currentTarget: { value } }) =>
                navigate({
                  search: ({ channel: _, ...before }) => ({
                    ...before,
                    ...(value !== '' && { channel: value as WaitingChannel }),
                  }),
                })
              }
              data={[
                { value: '', label: 'Every channel' },
                ...(['MESSAGING_APP', 'EMAIL', 'SMS'] as const).map((value) => ({ value, label: channelNames[value] })),
              ]}
              aria-label="Which channel"
            />
          </>
        }
      />
      {isLeftOut && (
        <p className={classes.hint} role="status">
          Due dates, or by when customers are to be answered, cannot be had at the moment. Who waits is all here.
        </p>
      )}
      <Former isFormer={query.isPlaceholderData}>
        <Listed query={query} empty={emptyWords(view, channel)} skeleton={{ rows: 8, height: 48 }}>
          {(items) => <WaitingTable items={items} view={view} channel={channel} />}
        </Listed>
      </Former>
      <KeyHelp own={listKeys} />
    </>
  );
}

interface TableProps {
  items: AttentionItem[];
  view: WaitingView;
  channel: WaitingChannel | undefined;
}

function WaitingTable({ items, view, channel }: TableProps) {
  const list = useRef<HTMLTableElement>(null);
  const { leave } = useListKeys(list, items);
  return (
    <table className={`${table.table} ${classes.table}`} ref={list}>
      <thead>
        <tr>
          <th>Customer</th>
          <th>Channel</th>
          <th>{view === 'snoozed' ? 'Snoozed' : 'Waiting'}</th>
          <th data-spare>Next due</th>
          <th data-spare>Agent</th>
          <th>
            <span className="visually-hidden">What can be done</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <Row
            key={item.customer_id}
            item={item}
            search={{ queue: view, ...(channel && { channel }) }}
            leave={() => leave(item.customer_id)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  item: AttentionItem;
  /** How somebody goes on from one to the next. */
  search: { queue: WaitingView; channel?: WaitingChannel };
  /** Before it is gone from the list. */
  leave(): void;
}

function Row({ item, search, leave }: RowProps) {
  const { customer_id: id, customer_name: name, last_message: last, unread_count, answer_by } = item;
  const late = isLate(answer_by, useNow());
  return (
    <tr data-customer={id} data-late={late || undefined}>
      <td data-label="Customer">
        <div>
          <Link to="/customers/$id" params={{ id }} search={search} className={table.main} data-opens>
            {name}
          </Link>{' '}
          <FormerMark since={item.archived_at} /> <UnreadBadge count={unread_count} />
          <span className={classes.words}>{wordsOf(last)}</span>
        </div>
      </td>
      <td data-label="Channel">
        <ChannelIcon type={last.type} />
      </td>
      <td data-label="Waiting">
        <Since item={item} late={late} />
      </td>
      <td data-label="Next due" data-spare className={classes.due}>
        <NextRenewal next={item.next_renewal} />
      </td>
      <td data-label="Agent" data-spare>
        <CustomerAgent item={item} />
      </td>
      <td>
        <div className={classes.acts}>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconCheck size={14} aria-hidden />}
            aria-label={`Done: ${name}`}
            aria-keyshortcuts="e"
            data-done
            onClick={() => {
              leave();
              void beDone({ id, name }, last.id);
            }}
          >
            Done
          </Button>
          <SnoozeMenu
            size="compact-sm"
            person={{ id, name, snoozed_until: item.snoozed_until }}
            seen={() => last.id}
            snoozed={leave}
            woken={leave}
          />
        </div>
      </td>
    </tr>
  );
}

/** Its place in the list says how long; what is late says so in a word too. */
function Since({ item: { waiting_since, snoozed_until, answer_by }, late }: { item: AttentionItem; late: boolean }) {
  return (
    <div className={classes.since}>
      <When at={waiting_since} />
      {snoozed_until && <div className={classes.quiet}>until {instantOf(snoozed_until)}</div>}
      {answer_by && (
        <div className={late ? classes.late : classes.quiet} data-urgency={late ? 'overdue' : undefined}>
          {late ? 'late: ' : ''}answer by {instantOf(answer_by)}
        </div>
      )}
    </div>
  );
}

function NextRenewal({ next }: { next: AttentionItem['next_renewal'] }) {
  const nameOf = useServiceNames();
  if (!next) return null;
  return (
    <div>
      {dayOf(next.due_date)}
      <div className={classes.quiet}>{nameOf(next.service_type)}</div>
    </div>
  );
}

function CustomerAgent({ item }: { item: AttentionItem }) {
  const nameOf = useAgentNames();
  const { customer_id, customer_name: name, assigned_agent } = item;
  return (
    <GiveTo
      {...useWhose(item)}
      size="xs"
      className={classes.agent}
      aria-label={`Agent of ${name}`}
      data-assign
      value={assigned_agent}
      onChange={(agent) => {
        void giveCustomer({ id: customer_id, name }, agent, nameOf);
        // A list hears no keys of the page: whoever gave it by them goes on from its row.
        document.querySelector<HTMLElement>(`[data-customer="${CSS.escape(customer_id)}"] [data-opens]`)?.focus();
      }}
    />
  );
}

function wordsOf({ subject, body, attachments }: AttentionItem['last_message']): string {
  const words = [subject, body].filter(Boolean).join(' · ');
  if (words !== '') return words;
  return attachments > 0 ? 'A file without words' : 'No words';
}

function emptyWords(view: WaitingView, channel: WaitingChannel | undefined): string {
  const by = channel ? ` by ${channelNames[channel]}` : '';
  if (view === 'snoozed') return `Nobody who wrote${by} is put off.`;
  if (view === 'mine') return `None of your customers who wrote${by} waits for an answer.`;
  return view === 'nobody'
    ? `Everybody who wrote${by} and waits has an agent.`
    : `Everybody who wrote${by} has their answer.`;
}
