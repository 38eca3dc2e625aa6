import { Button, Collapse, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconPhone, IconRobot } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { memo } from 'react';
import type { Communication } from '../api/types.ts';
import { markUnread } from '../attention/attention-actions.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { Claimed, timeOf } from '../parts/dates.tsx';
import { AboutRenewals } from './about-renewals.tsx';
import { AttachedFile } from './attached.tsx';
import { Delivery } from './delivery.tsx';
import { answer } from './hand-over.ts';
import { answersTo, machineWords } from './inbound-facts.ts';
import { RecordMenu } from './record-menu.tsx';
import { isShared, SharedCards } from './shared-cards.tsx';
import classes from './thread.module.css';
import { marksOf } from './thread.ts';
import { Words } from './words.tsx';

/** One communication, as what it is: a bubble, a card, a note, a line. */
export const RecordView = memo(function RecordView({ record }: { record: Communication }) {
  if (record.type === 'CALL_LOG') return <Call record={record} />;
  return (
    <article
      className={record.type === 'INTERNAL_NOTE' ? classes.note : classes.bubble}
      data-direction={record.direction}
      data-struck={record.struck || undefined}
      data-record={record.id}
      tabIndex={-1}
    >
      <Marks record={record} />
      {record.subject && <Text fw={600}>{record.subject}</Text>}
      <Body record={record} />
      {record.attachments.map((file) => (
        <AttachedFile key={file.id} file={file} at={record.occurred_at} />
      ))}
      <AboutRenewals record={record} />
      <Delivery record={record} />
      <Claimed at={record.claimed_at} />
      {record.direction === 'INBOUND' && (
        <div className={classes.acts}>
          {!record.automatic && !record.imported && <Answer record={record} />}
          {!record.automatic && !record.imported && <UnreadFromHere record={record} />}
        </div>
      )}
      <RecordMenu record={record} />
      {record.reactions.length > 0 && (
        <ul className={classes.reactions} aria-label="Reactions">
          {record.reactions.map(({ emoji, from }) => (
            <li key={`${from}${emoji}`}>{emoji}</li>
          ))}
        </ul>
      )}
    </article>
  );
});

/** What of a message that came in is not as usual. */
function Marks({ record }: { record: Communication }) {
  const machine = record.imported ? null : machineWords(record);
  const replyTo = answersTo(record);
  const marks = marksOf(record);
  return (
    <>
      {marks.length > 0 && (
        <Text size="xs" fs="italic" c="var(--text-quiet)">
          {marks.join(' · ')}
        </Text>
      )}
      {machine && (
        <span className={classes.chip}>
          <IconRobot size={14} aria-hidden /> {machine}
        </span>
      )}
      {record.sender_verified === 'fail' && (
        <Text size="xs" className={classes.doubt}>
          <IconAlertTriangle size={14} aria-hidden /> The sender could not be verified: this may be forged.
        </Text>
      )}
      {replyTo && (
        <Text size="xs" c="var(--text-quiet)">
          replies go to {replyTo}
        </Text>
      )}
    </>
  );
}

const Answer = ({ record }: { record: Communication }) => (
  <Button size="compact-xs" variant="subtle" color="gray" onClick={() => answer(record)}>
    Answer
  </Button>
);

/** One leaves the log by it: staying would be reading. */
function UnreadFromHere({ record: { id, customer_id } }: { record: Communication }) {
  const navigate = useNavigate();
  const { queue, channel } = useSearch({ strict: false });
  const mark = async () => {
    if (!(await markUnread(customer_id, id))) return;
    if (queue) void navigate({ to: '/waiting', search: { view: queue, ...(channel && { channel }) } });
    else void navigate({ to: '/customers' });
  };
  return (
    <Button size="compact-xs" variant="subtle" color="gray" onClick={mark} data-seldom>
      Unread from here
    </Button>
  );
}

function Call({ record }: { record: Communication }) {
  const { id, subject, body, author, occurred_at, struck } = record;
  const agentOf = useAgentNames();
  return (
    <article className={classes.call} data-record={id} data-struck={struck || undefined} tabIndex={-1}>
      <IconPhone size={16} aria-label="Call" role="img" />
      <div>
        <Text fw={600}>{subject}</Text>
        <Text className={classes.body}>{body}</Text>
        <Text size="xs" c="var(--text-quiet)">
          {author !== null && agentOf(author)} · {timeOf(occurred_at)}
        </Text>
        <RecordMenu record={record} />
      </div>
    </article>
  );
}

function Body({ record }: { record: Communication }) {
  const { id, type, quoted, has_html, redacted_at } = record;
  const [asSent, { toggle: toggleAsSent }] = useDisclosure(false);
  const [withQuoted, { toggle: toggleQuoted }] = useDisclosure(false);
  if (redacted_at) return <Text fs="italic">The words were removed when their time of keeping was over.</Text>;
  return (
    <>
      {!asSent && (isShared(record) ? <SharedCards record={record} /> : <Words record={record} />)}
      {quoted && !asSent && (
        <>
          <Button size="compact-xs" variant="subtle" color="gray" onClick={toggleQuoted} aria-expanded={withQuoted}>
            {withQuoted ? 'Hide what it answers' : 'Show what it answers'}
          </Button>
          <Collapse expanded={withQuoted}>
            <div className={classes.quoted}>{quoted}</div>
          </Collapse>
        </>
      )}
      {type === 'EMAIL' && has_html && (
        <>
          <Button size="compact-xs" variant="subtle" color="gray" onClick={toggleAsSent} aria-expanded={asSent}>
            {asSent ? 'Show the text alone' : 'Show it as it was sent'}
          </Button>
          {asSent && (
            <iframe
              className={classes.html}
              title="The e-mail as it was sent"
              sandbox=""
              src={`/ops/communications/${id}/html`}
            />
          )}
        </>
      )}
    </>
  );
}
