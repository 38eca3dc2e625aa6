import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Communication } from '../api/types.ts';
import { exactly, instantOf } from '../parts/dates.tsx';
import { Mentioning } from './mentioning.tsx';
import { unsigned } from './signature.ts';
import classes from './thread.module.css';
import { wordsOf } from './thread.ts';

/** The newest words; what was said first, and in between, is one step away. */
export function Words({ record }: { record: Communication }) {
  const [withEarlier, { toggle }] = useDisclosure(false);
  const { newest = '', changedAt, earlier, isWithdrawn } = wordsOf(record);
  const isOurMail = record.direction === 'OUTBOUND' && record.type === 'EMAIL';
  const { words, signature } = isOurMail ? unsigned(newest) : { words: newest, signature: null };
  const who = record.direction === 'INBOUND' ? 'The customer' : 'We';
  return (
    <>
      <div className={classes.body} data-withdrawn={isWithdrawn || undefined}>
        {record.mentions.length > 0 ? <Mentioning words={words} agents={record.mentions} /> : words}
      </div>
      {signature !== null && <Signature text={signature} />}
      {isWithdrawn && (
        <Text size="xs" c="var(--text-quiet)">
          {who} took this back afterwards, <At at={record.amendments.at(-1)?.at} />
        </Text>
      )}
      {earlier.length > 0 && (
        <>
          <Text size="xs" c="var(--text-quiet)">
            {who} changed it afterwards, <At at={changedAt} />{' '}
            <Button size="compact-xs" variant="subtle" color="gray" onClick={toggle} aria-expanded={withEarlier}>
              {withEarlier ? 'Hide what it said before' : 'Show what it said before'}
            </Button>
          </Text>
          {withEarlier &&
            earlier.map(({ at, body }) => (
              <div key={`${at}${body}`} className={classes.quoted}>
                <Text size="xs">
                  <At at={at} />
                </Text>
                {body}
              </div>
            ))}
        </>
      )}
    </>
  );
}

/** The same below each of their e-mails. */
function Signature({ text }: { text: string }) {
  const [isShown, { toggle }] = useDisclosure(false);
  return (
    <>
      <Button size="compact-xs" variant="subtle" color="gray" onClick={toggle} aria-expanded={isShown}>
        {isShown ? 'Hide the signature' : 'Show the signature'}
      </Button>
      {isShown && <div className={classes.quoted}>{text}</div>}
    </>
  );
}

const At = ({ at }: { at: string | undefined }) =>
  at && (
    <time dateTime={at} title={exactly(at)}>
      {instantOf(at)}
    </time>
  );
