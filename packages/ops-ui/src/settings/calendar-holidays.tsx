import { ActionIcon, Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import classes from './alert-plan.module.css';
import own from './calendar.module.css';
import type { OwnDay } from './calendar-days.ts';
import { countriesQuery } from './calendar-queries.ts';
import type { CalendarPart } from './calendar-week.tsx';

/** Whose public holidays are kept. */
export function PublicHolidays({ draft: { country, region }, disabled, write, wrong }: CalendarPart) {
  const { data: countries = [] } = useQuery(countriesQuery);
  const regions = countries.find(({ code }) => code === country)?.regions ?? [];
  const optionsOf = (list: { code: string; name: string }[]) =>
    list.map(({ code, name }) => ({ value: code, label: name }));
  return (
    <fieldset className={classes.part} disabled={disabled}>
      <legend>Public holidays</legend>
      <Group gap="md" align="flex-start">
        <NativeSelect
          label="Country"
          value={country ?? ''}
          onChange={({ currentTarget }) => write({ country: currentTarget.value || null, region: null })}
          data={[{ value: '', label: 'None are kept' }, ...optionsOf(countries)]}
          error={wrong('country')}
        />
        {regions.length > 0 && (
          <NativeSelect
            label="Region"
            value={region ?? ''}
            onChange={({ currentTarget }) => write({ region: currentTarget.value || null })}
            data={[{ value: '', label: 'Those of the whole country' }, ...optionsOf(regions)]}
            error={wrong('region')}
          />
        )}
      </Group>
    </fieldset>
  );
}

/** Days on which the firm is closed, or works though others do not. */
export function OwnDays({ draft: { holidays }, disabled, write, wrong }: CalendarPart) {
  const change = (index: number, day: Partial<OwnDay>) =>
    write({ holidays: holidays.map((one, at) => (at === index ? { ...one, ...day } : one)) });
  const fields = {
    change,
    wrong,
    remove: (index: number) => write({ holidays: holidays.filter((_, at) => at !== index) }),
  };
  return (
    <fieldset className={classes.part} disabled={disabled}>
      <legend>The firm’s own days</legend>
      <p>They come before public holidays, whatever those are.</p>
      <ol className={own.days}>
        {holidays.map((day, index) => (
          // A day has nothing of its own but its place: two may be alike while they are typed.
          <OwnDayRow key={index} day={day} index={index} {...fields} />
        ))}
      </ol>
      {!disabled && (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() => write({ holidays: [...holidays, { date: '', name: '', closed: true }] })}
        >
          Add a day
        </Button>
      )}
    </fieldset>
  );
}

interface OwnDayRowProps {
  day: OwnDay;
  index: number;
  change(index: number, day: Partial<OwnDay>): void;
  remove(index: number): void;
  wrong(path: string): string | undefined;
}

function OwnDayRow({ day: { date, name, closed }, index, change, remove, wrong }: OwnDayRowProps) {
  const which = `of day ${index + 1}`;
  return (
    <li>
      <TextInput
        type="date"
        aria-label={`Date ${which}`}
        value={date}
        onChange={({ currentTarget }) => change(index, { date: currentTarget.value })}
        error={wrong(`holidays.${index}.date`)}
      />
      <TextInput
        aria-label={`Name ${which}`}
        placeholder="What it is called"
        value={name}
        maxLength={100}
        onChange={({ currentTarget }) => change(index, { name: currentTarget.value })}
        error={wrong(`holidays.${index}.name`)}
      />
      <NativeSelect
        aria-label={`What holds on it ${which}`}
        value={closed ? 'closed' : 'open'}
        onChange={({ currentTarget }) => change(index, { closed: currentTarget.value === 'closed' })}
        data={[
          { value: 'closed', label: 'Closed' },
          { value: 'open', label: 'We work' },
        ]}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Remove ${name || 'the day'}`}
        onClick={() => remove(index)}
      >
        <IconX size={16} />
      </ActionIcon>
    </li>
  );
}
