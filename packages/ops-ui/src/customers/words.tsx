import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Communication } from '../api/types.ts';
import classes from './thread.module.css';
import { wordsOf } from './thread.ts';

/** The newest words; what was said first, and in between, is one step away. */
export function Words({ record }: { record: Communication }) {
  const [withEarlier, { toggle }] = useDisclosure(false);
  const { newest, earlier, isWithdrawn } = wordsOf(record);
  const who = record.direction === 'INBOUND' ? 'The customer' : 'We';
  return (
    <>
      <div className={classes.body} data-withdrawn={isWithdrawn || undefined}>
        {newest}
      </div>
      {isWithdrawn && (
        <Text size="xs" c="var(--text-quiet)">
          {who} took this back afterwards
        </Text>
      )}
      {earlier.length > 0 && (
        <>
          <Text size="xs" c="var(--text-quiet)">
            {who} changed it afterwards{' '}
            <Button size="compact-xs" variant="subtle" color="gray" onClick={toggle} aria-expanded={withEarlier}>
              {withEarlier ? 'Hide what it said before' : 'Show what it said before'}
            </Button>
          </Text>
          {withEarlier &&
            earlier.map(({ at, body }) => (
              <div key={`${at}${body}`} className={classes.quoted}>
                {body}
              </div>
            ))}
        </>
      )}
    </>
  );
}
