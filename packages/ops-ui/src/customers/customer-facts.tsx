import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CustomerDetail, CustomerIdentifier } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { channelNames } from '../parts/channels.tsx';
import classes from './about-customer.module.css';
import { channelsOf, spoken } from './opt-out-words.ts';

/** How the customer is reached and spoken to. */
export function CustomerFacts({ customer }: { customer: CustomerDetail }) {
  const { id, identifiers, locale, time_zone, preferred_channel, assigned_agent, do_not_contact } = customer;
  const agentOf = useAgentNames();
  const [phones, emails] = (['phone', 'email'] as const).map((kind) => identifiers.filter((one) => one.kind === kind));
  return (
    <>
      {do_not_contact && <p className={classes.warning}>Not to be contacted</p>}
      <dl className={classes.facts}>
        <Fact name="Phones">
          {phones?.map((one) => (
            <Address key={one.value} of={one} href={`tel:${one.value}`} />
          ))}
        </Fact>
        <Fact name="E-mails">
          {emails?.map((one) => (
            <Address key={one.value} of={one} href={`mailto:${one.value}`} />
          ))}
        </Fact>
        <Fact name="Language">{locale && languageName(locale)}</Fact>
        <Fact name="Time zone">{time_zone}</Fact>
        <Fact name="Prefers">{preferred_channel && channelNames[preferred_channel]}</Fact>
        <Fact name="Agent">{assigned_agent && agentOf(assigned_agent)}</Fact>
      </dl>
      <Link to="/customers/$id" params={{ id }} search={{ tab: 'details' }}>
        Change
      </Link>
    </>
  );
}

/** What nobody said is said to be so: a line that is missing would leave one to guess. */
const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{isNothing(children) ? <span className={classes.quiet}>none</span> : children}</dd>
  </div>
);

const isNothing = (given: ReactNode) => !given || (Array.isArray(given) && given.length === 0);

function Address({ of, href }: { of: CustomerIdentifier; href: string }) {
  const out = channelsOf[of.kind].filter((channel) => of.opted_out[channel]);
  return (
    <div>
      <a href={href}>{of.value}</a>
      {out.length > 0 && (
        <div className={classes.warning}>Opted out of {out.map((channel) => spoken[channel]).join(', ')}</div>
      )}
    </div>
  );
}

/** In the words of whoever reads it; as it was written down where there are none for it. */
function languageName(locale: string): string {
  try {
    return new Intl.DisplayNames(undefined, { type: 'language' }).of(locale) ?? locale;
  } catch {
    return locale;
  }
}
