import { Button, type ButtonProps, Menu } from '@mantine/core';
import { IconAlarmSnooze } from '@tabler/icons-react';
import { instantOf } from '../parts/dates.tsx';
import { snooze } from './attention-actions.ts';
import classes from './waiting.module.css';
import { snoozeTimes } from './waiting.ts';

interface SnoozeMenuProps extends ButtonProps {
  person: { id: string; name: string };
  /** The last record that somebody saw; what came later is not put off. Undefined: none was shown yet, and they are told. */
  seen(): string | undefined;
  snoozed(): void;
}

/** Until when a customer is put off. */
export function SnoozeMenu({ person, seen, snoozed, ...rest }: SnoozeMenuProps) {
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button
          {...rest}
          variant="default"
          leftSection={<IconAlarmSnooze size={14} aria-hidden />}
          aria-label={`Snooze: ${person.name}`}
          aria-keyshortcuts="s"
          data-snooze
        >
          Snooze
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {snoozeTimes(Date.now()).map(({ label, until }) => (
          <Menu.Item
            key={label}
            onClick={async () => {
              const upTo = seen();
              if (upTo && (await snooze(person, until, upTo))) snoozed();
            }}
          >
            {label} <span className={classes.quiet}>{instantOf(until.toISOString())}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
