import { Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Unmatched } from '../api/types.ts';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { alikeBefore } from '../merging/merging.ts';
import { takeFocus } from '../parts/take-focus.ts';
import { NewCustomer } from './new-customer.tsx';
import classes from './unmatched.module.css';
import { becauseWords } from './unmatched.ts';
import { dismiss, link } from './unmatched-actions.ts';

/** Whom it may be from, somebody else, or somebody new. */
export function Whose({ message }: { message: Unmatched }) {
  const [other, setOther] = useState<'search' | 'new'>();
  const toggle = (one: 'search' | 'new') => setOther(other === one ? undefined : one);
  return (
    <>
      {message.candidates.length > 0 && (
        <ul className={classes.candidates} aria-label="Who it may be from">
          {message.candidates.map((candidate) => (
            <li key={candidate.customer_id}>
              <span className={classes.candidate}>
                <Link to="/customers/$id" params={{ id: candidate.customer_id }} className={classes.who}>
                  {candidate.name}
                </Link>{' '}
                <span className={classes.quiet}>
                  {candidate.customer_id} · {becauseWords(message, candidate)}
                </span>
              </span>
              <Compare one={candidate} with={alikeBefore(message.candidates, candidate)} />
              <Button
                size="compact-sm"
                onClick={() => link(message.id, { id: candidate.customer_id, name: candidate.name })}
                aria-label={`Link to ${candidate.name}`}
              >
                Link
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Group gap="sm">
        <Button size="compact-sm" variant="default" onClick={() => toggle('search')} aria-expanded={other === 'search'}>
          {message.candidates.length > 0 ? 'Another customer' : 'Find the customer'}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => toggle('new')} aria-expanded={other === 'new'}>
          New customer
        </Button>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={() => dismiss(message.id)}>
          {message.reason === 'unknown' ? 'Not for us' : 'Put this message away'}
        </Button>
      </Group>
      {other === 'search' && (
        <CustomerPicker
          ref={takeFocus}
          label="Link to the customer you choose"
          value={null}
          onPick={(customer) => link(message.id, customer)}
        />
      )}
      {other === 'new' && <NewCustomer message={message} />}
    </>
  );
}

type Candidate = Unmatched['candidates'][number];

/** Two whom the same speaks for may be one. */
const Compare = ({ one, with: other }: { one: Candidate; with: Candidate | undefined }) =>
  other && (
    <Link
      to="/customers/$id/merge"
      params={{ id: one.customer_id }}
      search={{ with: other.customer_id }}
      className={classes.compare}
    >
      Compare with {other.name}
    </Link>
  );
