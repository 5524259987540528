import type { Settings } from '#libs/kernel/system';
import { freePort } from '../processes/ports.js';

/** The processes that run our own code for as long as the instance runs. */
const PROCESSES = ['api', 'projector', 'saga', 'eventstore'] as const;
export type ProcessName = (typeof PROCESSES)[number];

/** Where the programs of an instance listen. No two are the same. */
export interface InstancePorts {
  api: number;
  /** Of the embedded servers, whether they are wanted or not. */
  eventStore: number;
  postgres: number;
  /** Of each process for its operators: OPS_PORT and the ones after it, by default those after the API's own. */
  ops: Record<ProcessName, number>;
}

/**
 * The ports that the settings name, and for the others free ones near the API's. None listens there yet, so that they are free does not keep
 * one from being found twice: what was given away is remembered.
 */
export async function instancePorts(settings: Settings): Promise<InstancePorts> {
  const { port, eventStorePort = 0, opsPort } = settings;
  const given = new Set([port, eventStorePort]);
  const give = async (preferred?: number): Promise<number> => {
    let found: number;
    do {
      const isWanted = preferred !== undefined && !given.has(preferred);
      found = await (isWanted ? freePort(preferred) : freePort());
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
