import { Button, Group, Text } from '@mantine/core';
import classes from './composer.module.css';
import type { Signing } from './use-signature.ts';

/** What stands below the words when they leave. */
export function SignatureLine({ text, state, leaveOut, putBack }: Signing) {
  if (state === 'none') return null;
  if (state === 'written') return <Quiet>The words are signed already: your signature is not added.</Quiet>;
  if (state === 'left out')
    return (
      <Group gap="xs" role="status">
        <Quiet>Leaves without your signature.</Quiet>
        <Button size="compact-xs" variant="subtle" color="gray" onClick={putBack}>
          Put it back
        </Button>
      </Group>
    );
  return (
    <Group gap="xs" align="end" wrap="nowrap" role="group" aria-label="Signature">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <div className={classes.signature} tabIndex={0}>
        {text}
      </div>
      <Button size="compact-xs" variant="subtle" color="gray" flex="none" onClick={leaveOut}>
        Leave it out
      </Button>
    </Group>
  );
}

const Quiet = ({ children }: { children: string }) => (
  <Text size="xs" c="var(--composer-quiet)">
    {children}
  </Text>
);
