import { Checkbox, Group, TextInput } from '@mantine/core';
import classes from './alert-plan.module.css';
import { allDay, type CalendarDraft, isAllDay, toggledDay, usualHours, weekdays } from './calendar-days.ts';

export interface CalendarPart {
  draft: CalendarDraft;
  disabled: boolean;
  write(change: Partial<CalendarDraft>): void;
  wrong(path: string): string | undefined;
}

const nameOf = new Intl.DateTimeFormat(undefined, { weekday: 'long', timeZone: 'UTC' });
/** 1 January 2024 is a Monday. */
const weekdayNames = weekdays.map((_, index) => nameOf.format(Date.UTC(2024, 0, 1 + index)));

/** On which days of the week, and at which hours, the firm works. */
export function CalendarWeek({ draft: { working_days, hours }, disabled, write, wrong }: CalendarPart) {
  const problem = wrong('working_days');
  return (
    <fieldset className={classes.part} disabled={disabled}>
      <legend>Working days and hours</legend>
      <p>In the firm’s own time zone. Alerts wait for them; what staff write by hand leaves at once.</p>
      <Group gap="md">
        {weekdays.map((day, index) => (
          <Checkbox
            key={day}
            label={weekdayNames[index]}
            checked={working_days.includes(day)}
            onChange={() => write({ working_days: toggledDay(working_days, day) })}
          />
        ))}
      </Group>
      {problem && <p className={classes.wrong}>{problem}</p>}
      <Group gap="md" mt="sm" align="flex-start">
        {!isAllDay(hours) &&
          (['from', 'until'] as const).map((end) => (
            <TextInput
              key={end}
              type="time"
              label={end === 'from' ? 'From' : 'Until'}
              value={hours[end]}
              onChange={({ currentTarget }) => write({ hours: { ...hours, [end]: currentTarget.value } })}
              error={wrong(`hours.${end}`)}
            />
          ))}
      </Group>
      <Checkbox
        mt="sm"
        label="The whole day"
        checked={isAllDay(hours)}
        onChange={({ currentTarget }) => write({ hours: currentTarget.checked ? allDay : usualHours })}
      />
    </fieldset>
  );
}
