import { unavailable } from '@ops/service-kit/errors';

const mib = 1024 * 1024;
const retryAfterSeconds = 5;

interface IntakeLimits {
  /** Of all bodies that are held, until they are answered. */
  mostBytes: number;
  /** Of what one network has sent and nobody vouches for; no less than the largest body. */
  mostOfNetwork: number;
}

/** Two of the largest mails and some; a body takes about five times its size until it is stored. */
const installed: IntakeLimits = { mostBytes: 96 * mib, mostOfNetwork: 48 * mib };

/** A body that is held. */
export interface Claim {
  /** So many bytes more are held for it. */
  grow(bytes: number): void;
  /** Something of it came. */
  heard(): void;
  /** All of it is there: from now on it is not given up. */
  whole(): void;
  release(): void;
}

export interface Arriving {
  network: string;
  /** The header alone has shown that a provider sends it. */
  proven: boolean;
  /** There is no room for it any more. */
  giveUp(problem: Error): void;
}

export interface Intake {
  begin(arriving: Arriving): Claim;
}

interface Held extends Arriving {
  bytes: number;
  over: boolean;
}

/**
 * One budget for the bytes of all bodies, small ones too. Anybody may begin a body and never end it, so nobody is turned
 * away for the sake of those: whoever has been silent longest makes room, of the same network first if that has more than
 * its share. Who is still being heard gets through, and a provider that named itself in the header is never given up for
 * one that did not.
 */
export function createIntake({ mostBytes, mostOfNetwork } = installed): Intake {
  /** Of those nobody vouches for, the one that has been silent longest comes first. */
  const arriving = new Set<Held>();
  let held = 0;

  const release = (body: Held) => {
    if (!body.over) held -= body.bytes;
    body.over = true;
    arriving.delete(body);
  };
  const giveUp = (body: Held) => {
    release(body);
    body.giveUp(unavailable('Too much is coming in at once', retryAfterSeconds));
  };
  const makeRoom = (body: Held) => {
    const ofNetwork = [...arriving].filter(({ network }) => network === body.network);
    let sum = ofNetwork.reduce((bytes, one) => bytes + one.bytes, 0);
    for (const one of arriving.has(body) ? ofNetwork : []) {
      if (sum <= mostOfNetwork) break;
      sum -= one.bytes;
      giveUp(one);
    }
    while (held > mostBytes) giveUp(arriving.values().next().value ?? body);
  };

  return {
    begin(given) {
      const body: Held = { ...given, bytes: 0, over: false };
      if (!body.proven) arriving.add(body);
      return {
        grow(bytes) {
          if (body.over) return;
          held += bytes;
          body.bytes += bytes;
          makeRoom(body);
        },
        heard() {
          if (arriving.delete(body)) arriving.add(body);
        },
        whole: () => void arriving.delete(body),
        release: () => release(body),
      };
    },
  };
}
