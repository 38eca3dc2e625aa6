import { Button, CloseButton, Group, TextInput } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { dayAt, daysAfter } from '../parts/days.ts';
import { instantIn, localMinute } from '../parts/local-minute.ts';
import classes from './composer.module.css';

interface MomentProps {
  /** Null: now. */
  value: string | null;
  change(value: string | null): void;
}

/** When a message leaves: at once, or on a day and at a time of the person's own clock. */
export const Later = (props: MomentProps) => (
  <Moment {...props} offer="Later" label="Leaves at" now="Leave at once" first={tomorrowMorning} />
);

/** When a call was. */
export const Earlier = (props: MomentProps) => (
  <Moment {...props} offer="Earlier" label="Was at" now="It was just now" first={hourAgo} />
);

interface Words {
  offer: string;
  label: string;
  now: string;
  /** What the field begins with. */
  first(): Date;
}

function Moment({ value, change, offer, label, now, first }: MomentProps & Words) {
  if (value === null)
    return (
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        leftSection={<IconClock size={16} aria-hidden />}
        onClick={() => change(first().toISOString())}
      >
        {offer}
      </Button>
    );
  return (
    <Group gap={4} wrap="nowrap" className={classes.later}>
      <TextInput
        size="xs"
        type="datetime-local"
        aria-label={label}
        value={localMinute(Date.parse(value))}
        onChange={({ currentTarget }) => {
          const at = instantIn(currentTarget.value);
          if (at) change(at);
        }}
      />
      <CloseButton size="xs" onClick={() => change(null)} aria-label={now} />
    </Group>
  );
}

const tomorrowMorning = () => new Date(`${daysAfter(dayAt(Date.now()), 1)}T09:00:00`);
const hourAgo = () => new Date(Date.now() - 3_600_000);
