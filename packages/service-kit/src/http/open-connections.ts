import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of a server, and which of them carry nothing at the moment. */
export interface OpenConnections {
  /** A request has come: its connection carries something until the answer is given. */
  answering(req: IncomingMessage, res: ServerResponse): void;
  /** From now on closes each once it carried nothing for so long. */
  closeQuiet(quietMs: number): void;
  /** Cuts what is left, those on which nobody has spoken yet too. */
  cut(): void;
}

interface Carrying {
  answers: number;
  quietSince: number;
  /** What had been read by then: more since means that a request is on its way that is not here yet. */
  bytesRead: number;
}

const lookEveryMs = 20;

export function watchConnections(server: Server, { secure }: { secure: boolean }): OpenConnections {
  const open = new Set<Socket>();
  const carrying = new Map<Socket, Carrying>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on(secure ? 'secureConnection' : 'connection', (socket: Socket) => {
    carrying.set(socket, { answers: 0, quietSince: performance.now(), bytesRead: socket.bytesRead });
    socket.once('close', () => carrying.delete(socket));
  });
  const closeIfQuiet = (quietMs: number) => {
    for (const [socket, one] of carrying) {
      if (one.answers === 0 && socket.bytesRead !== one.bytesRead) quiet(socket, one);
      else if (one.answers === 0 && performance.now() - one.quietSince >= quietMs) socket.destroy();
    }
  };
  return {
    answering({ socket }, res) {
      const one = carrying.get(socket);
      if (!one) return;
      one.answers += 1;
      res.once('close', () => {
        one.answers -= 1;
        quiet(socket, one);
      });
    },
    closeQuiet(quietMs) {
      closeIfQuiet(quietMs);
      const looks = setInterval(closeIfQuiet, lookEveryMs, quietMs);
      server.once('close', () => clearInterval(looks));
    },
    cut: () => open.forEach((socket) => void socket.destroy()),
  };
}

function quiet(socket: Socket, one: Carrying): void {
  one.quietSince = performance.now();
  one.bytesRead = socket.bytesRead;
}
