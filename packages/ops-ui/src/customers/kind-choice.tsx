import { SegmentedControl } from '@mantine/core';
import { useRef } from 'react';
import type { Customer } from '../api/types.ts';
import { ChannelIcon, channelNames } from '../parts/channels.tsx';
import { type Kind, kinds, obstacle } from './compose.ts';
import classes from './composer.module.css';
import { hasDraft } from './outgoing.ts';

interface KindChoiceProps {
  customer: Customer;
  kind: Kind;
  choose(next: Kind): void;
  /** Goes to the field. */
  write(): void;
}

export function KindChoice({ customer, kind, choose, write }: KindChoiceProps) {
  /** Whoever goes through the kinds by arrow keys stays among them. */
  const isPressed = useRef(false);
  return (
    <SegmentedControl
      size="xs"
      value={kind}
      onChange={(value) => {
        choose(value as Kind);
        if (isPressed.current) write();
      }}
      onPointerDown={() => {
        isPressed.current = true;
      }}
      onKeyDown={(event) => {
        isPressed.current = false;
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        write();
      }}
      aria-label="How to write"
      data={kinds.map((one) => ({
        value: one,
        disabled: obstacle(one, customer) !== null,
        label: (
          <span className={classes.kind} title={obstacle(one, customer) ?? undefined}>
            <ChannelIcon type={one} size={14} /> {channelNames[one]}
            {one !== kind && hasDraft(customer.id, one) && (
              <span className={classes.draft} title="draft">
                <span className="visually-hidden">: draft</span>
              </span>
            )}
            {obstacle(one, customer) && <span className="visually-hidden">: {obstacle(one, customer)}</span>}
          </span>
        ),
      }))}
    />
  );
}
