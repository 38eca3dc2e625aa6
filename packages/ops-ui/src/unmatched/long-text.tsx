import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import classes from './unmatched.module.css';
import { isLong } from './unmatched.ts';

/** As it was written, and nothing but text; a long one is folded, so that the next message is in sight. */
export function LongText({ text }: { text: string }) {
  const [whole, { toggle }] = useDisclosure(false);
  if (!isLong(text)) return <div className={classes.body}>{text}</div>;
  return (
    <>
      <div className={whole ? classes.body : `${classes.body} ${classes.folded}`}>{text}</div>
      <Button size="compact-xs" variant="subtle" color="gray" onClick={toggle} aria-expanded={whole}>
        {whole ? 'Show less' : 'Show all of it'}
      </Button>
    </>
  );
}
