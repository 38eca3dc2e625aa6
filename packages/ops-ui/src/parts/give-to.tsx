import { type KeyboardEvent, useRef, useState } from 'react';
import { AgentSelect, type AgentSelectProps } from './agents.tsx';

interface GiveToProps extends AgentSelectProps {
  /** Whether leaving it gives what the keys came to, or forgets it. */
  leaving?: 'gives' | 'forgets';
}

const goesThrough = /^(Arrow(Up|Down|Left|Right)|Home|End|PageUp|PageDown|\S)$/;

/**
 * An `AgentSelect` whose choice acts at once. The keys change a closed list at each name they come by, so they only go
 * through the names: Enter gives, and Escape puts back.
 */
export function GiveTo({ value, onChange, leaving = 'gives', ...rest }: GiveToProps) {
  /** Undefined: what it shows is so. */
  const [tried, setTried] = useState<string | null>();
  const isByKeys = useRef(false);
  /** Whoever gives may leave the select at once, before it is drawn again, and leaving it gives as well. */
  const isSettled = useRef(false);
  const settle = (gives: boolean) => {
    isByKeys.current = false;
    if (tried === undefined || isSettled.current) return;
    isSettled.current = true;
    setTried(undefined);
    if (gives && tried !== value) onChange(tried);
  };
  const goThrough = (agent: string | null) => {
    isSettled.current = false;
    setTried(agent);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, altKey, ctrlKey, metaKey } = event;
    if (tried !== undefined && (key === 'Enter' || key === 'Escape')) {
      event.preventDefault();
      event.stopPropagation();
      return settle(key === 'Enter');
    }
    isByKeys.current = goesThrough.test(key) && !altKey && !ctrlKey && !metaKey;
  };
  return (
    <AgentSelect
      {...rest}
      value={tried === undefined ? value : tried}
      onChange={(agent) => (isByKeys.current ? goThrough(agent) : onChange(agent))}
      onKeyDown={onKeyDown}
      onPointerDown={() => {
        isByKeys.current = false;
      }}
      onBlur={() => settle(leaving === 'gives')}
    />
  );
}
