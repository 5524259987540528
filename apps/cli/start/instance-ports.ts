import type { Settings } from '#libs/kernel/system';
import { findFreePort } from '../processes/ports.js';

/** The processes of an instance that run Countinghouse's own code. */
const PROCESSES = ['api', 'projector', 'saga', 'eventstore'] as const;
/** The name of a process that has an operator port. */
export type ProcessName = (typeof PROCESSES)[number];

/** The ports of an instance's programs. All are different. */
export interface InstancePorts {
  api: number;
  /** The port of the embedded event store, which is assigned even if an external event store is used. */
  eventStore: number;
  /** The port of the embedded Postgres, which is assigned even if an external server is used. */
  postgres: number;
  /**
   * The operator port of each process, for metrics and health. The operator ports begin at OPS_PORT, or by default after the API's port.
   */
  ops: Record<ProcessName, number>;
}

/**
 * Returns the ports that the settings name, and free ports near the API's port for the other programs. No program listens on the assigned
 * ports yet, so the function remembers them and never assigns a port twice.
 */
export async function assignInstancePorts(settings: Settings): Promise<InstancePorts> {
  const { port, eventStorePort = 0, opsPort } = settings;
  const given = new Set([port, eventStorePort]);
  const give = async (preferred?: number): Promise<number> => {
    let found: number;
    do {
      const isWanted = preferred !== undefined && !given.has(preferred);
      found = await (isWanted ? findFreePort(preferred) : findFreePort());
    } while (given.has(found));
    given.add(found);
    return found;
  };
  const api = port === 0 ? await give() : port;
  const postgres = await give(api + 2);
  const eventStore = eventStorePort || (await give(api + 1));
  const ops: Partial<Record<ProcessName, number>> = {};
  for (const [index, name] of PROCESSES.entries())
    ops[name] = await give(opsPort === 0 ? undefined : (opsPort ?? api + 3) + index);
  return { api, eventStore, postgres, ops: ops as Record<ProcessName, number> };
}
