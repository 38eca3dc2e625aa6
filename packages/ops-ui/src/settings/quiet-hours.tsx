import { Group, Switch, TextInput } from '@mantine/core';
import classes from './alert-plan.module.css';
import { type Plan, usualQuietHours } from './alert-plan.ts';

interface QuietHoursProps {
  hours: Plan['quiet_hours'];
  disabled: boolean;
  write(hours: Plan['quiet_hours']): void;
  wrong(path: string): string | undefined;
}

/** When nobody is written to by machine. */
export function QuietHours({ hours, disabled, write, wrong }: QuietHoursProps) {
  return (
    <fieldset className={classes.part}>
      <legend>Quiet hours</legend>
      <p>In the customer’s own time zone. Alerts wait for their end; what staff write by hand leaves at once.</p>
      {disabled ? (
        <span>{hours ? `From ${hours.from} until ${hours.until}` : 'None'}</span>
      ) : (
        <Switch
          label="Keep quiet hours"
          checked={hours !== null}
          onChange={({ currentTarget }) => write(currentTarget.checked ? usualQuietHours : null)}
        />
      )}
      {hours && !disabled && (
        <Group gap="md" mt="sm" align="flex-start">
          {(['from', 'until'] as const).map((end) => (
            <TextInput
              key={end}
              type="time"
              label={end === 'from' ? 'From' : 'Until'}
              value={hours[end]}
              onChange={({ currentTarget }) => write({ ...hours, [end]: currentTarget.value })}
              error={wrong(`quiet_hours.${end}`)}
            />
          ))}
        </Group>
      )}
    </fieldset>
  );
}
