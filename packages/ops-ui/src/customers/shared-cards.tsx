import { ActionIcon, Anchor, CopyButton, Text } from '@mantine/core';
import { IconAddressBook, IconCheck, IconCopy, IconMapPin } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Communication, ContactCard, Place } from '../api/types.ts';
import classes from './shared-cards.module.css';
import { mapsOf, webAddress } from './shared-words.ts';

/** What it passes on says more than its words, as long as these were not changed afterwards. */
export const isShared = ({ contacts, place, amendments }: Communication): boolean =>
  (contacts.length > 0 || place !== null) && amendments.length === 0;

/** People and places, by their parts. */
export const SharedCards = ({ record: { contacts, place } }: { record: Communication }) => (
  <>
    {contacts.map((card, n) => (
      <Contact key={`${n}${card.name}`} card={card} />
    ))}
    {place && <Where place={place} />}
  </>
);

function Contact({ card }: { card: ContactCard }) {
  const { name, organisation, phones, emails, addresses, websites, birthday } = card;
  const typed = phones[0] ?? emails[0] ?? name;
  return (
    <section className={classes.card} aria-label={`Contact: ${name ?? 'somebody'}`}>
      <Text fw={600} className={classes.name}>
        <IconAddressBook size={16} aria-hidden /> {name ?? 'Somebody without a name'}
      </Text>
      {organisation && <Text size="sm">{organisation}</Text>}
      {[...phones, ...emails].map((one) => (
        <Copied key={one} words={one}>
          <a href={one.includes('@') ? `mailto:${one}` : `tel:${one.replaceAll(/[^\d+]/g, '')}`}>{one}</a>
        </Copied>
      ))}
      {addresses.map((one) => (
        <Copied key={one} words={one}>
          {one}
        </Copied>
      ))}
      {websites.map((one) => (
        <Text key={one} size="sm">
          <Website given={one} />
        </Text>
      ))}
      {birthday && <Text size="sm">Born {birthday}</Text>}
      {typed && (
        <Anchor size="sm" renderRoot={(props) => <Link to="/customers" search={{ create: typed }} {...props} />}>
          Write down as a customer
        </Anchor>
      )}
    </section>
  );
}

function Website({ given }: { given: string }) {
  const address = webAddress(given);
  if (address === null) return given;
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {given}
    </a>
  );
}

/** Nothing of it is asked of anybody before somebody clicks. */
function Where({ place }: { place: Place }) {
  const { name, address, latitude, longitude } = place;
  const maps = mapsOf(place);
  const point = latitude === null ? null : `${latitude}, ${longitude}`;
  return (
    <section className={classes.card} aria-label={`Place: ${name ?? address ?? point ?? 'unknown'}`}>
      <Text fw={600} className={classes.name}>
        <IconMapPin size={16} aria-hidden /> {name ?? 'A place'}
      </Text>
      {address && <Copied words={address}>{address}</Copied>}
      {point && <Copied words={point}>{point}</Copied>}
      {maps && (
        <Text size="sm" className={classes.ways}>
          <a href={maps.map} target="_blank" rel="noreferrer">
            On a map
          </a>
          <a href={maps.app}>In an app</a>
        </Text>
      )}
    </section>
  );
}

const Copied = ({ words, children }: { words: string; children: ReactNode }) => (
  <div className={classes.line}>
    <span>{children}</span>
    <CopyButton value={words}>
      {({ copied, copy }) => (
        <ActionIcon
          size="xs"
          variant="subtle"
          color="gray"
          onClick={copy}
          aria-label={copied ? `Copied: ${words}` : `Copy ${words}`}
        >
          {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
        </ActionIcon>
      )}
    </CopyButton>
  </div>
);
