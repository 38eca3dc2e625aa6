import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { dayAt, daysAfter } from '../parts/days.ts';
import { instantIn, localMinute } from '../parts/local-minute.ts';
import classes from './waiting.module.css';
import { whyNotUntil } from './waiting.ts';

const tomorrowMorning = () => Date.parse(`${daysAfter(dayAt(Date.now()), 1)}T09:00:00`);

/** A day and a time of the person's own clock. */
export function SnoozeUntil({ chosen }: { chosen(until: Date): void }) {
  const [local, setLocal] = useState(() => localMinute(tomorrowMorning()));
  const [isTried, setTried] = useState(false);
  const at = instantIn(local);
  const reason = at === undefined ? 'Say a day and a time.' : whyNotUntil(Date.parse(at), Date.now());
  return (
    <form
      noValidate
      className={classes.until}
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (at !== undefined && reason === undefined) chosen(new Date(at));
      }}
    >
      <TextInput
        type="datetime-local"
        size="xs"
        label="Until"
        value={local}
        onChange={({ currentTarget }) => setLocal(currentTarget.value)}
        error={isTried && reason}
        data-autofocus
      />
      <Button type="submit" size="xs">
        Snooze until then
      </Button>
    </form>
  );
}
