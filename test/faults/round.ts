import { setTimeout as pause } from 'node:timers/promises';
import { wrong } from './checks/finding.ts';
import { checkAll, checkWorkspace, gather, type Facts, type Finding } from './checks/index.ts';
import type { ControlName } from './checks/controls.ts';
import { tryControls, type Tried } from './checks/try-controls.ts';
import type { Fault } from './faults/index.ts';
import { readJournal } from './load/journal.ts';
import type { Random } from './load/random.ts';
import type { Extent } from './load/sending.ts';
import { liveThrough } from './load/workspace-history.ts';
import { openWorkspace, type Workspace } from './load/workspace.ts';
import type { World } from './world.ts';

/** What came of one fault. */
export interface Report {
  fault: string;
  /** Strikes, and what they hit in all. */
  strikes: number;
  hits: number;
  /** Seconds from the beginning of a strike until everything ran again; the longest. */
  recoverySeconds: number;
  seconds: number;
  requests: number;
  retries: number;
  replayed: number;
  /** Answers that asked for another attempt, by their code. */
  putOff: Map<string, number>;
  usage: number;
  invoices: number;
  deliveries: number;
  findings: Finding[];
  controls: Tried[];
}

export interface RoundOptions {
  workspaces: number;
  extent: Extent;
  /** The defects that are planted afterwards. */
  controls: readonly ControlName[];
}

/** Answers between two strikes, at least and at most. */
const BETWEEN_STRIKES = [5, 25] as const;
/** How long nothing that follows from the load may be done, once that is over, while something is left to be done. */
const STUCK_MILLIS = 60_000;
const SETTLE_POLL_MILLIS = 200;

/**
 * Lets workspaces of its own live while the fault strikes, waits until all is quiet, and compares what was acknowledged
 * with what is there. Then it plants a defect, to see that it would have been found.
 */
export async function playRound(
  world: World,
  name: string,
  fault: Fault,
  random: Random,
  { workspaces: count, extent, controls }: RoundOptions,
): Promise<Report> {
  const began = performance.now();
  const { traffic, receivers } = world;
  const before = {
    ...traffic,
    putOff: new Map(traffic.putOff),
    hits: fault.hits?.(world) ?? 0,
    faulty: traffic.faulty.length,
  };
  const names = Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
  for (const one of names) receivers.teach(`/${one}/bad`, fault.manners ?? ['well']);
  const workspaces = await Promise.all(
    names.map((one) => openWorkspace(one, world.stranger(one), world.webhookLink.port)),
  );
  const { struck, recoverySeconds, broken } = await strikeUnderLoad(world, fault, workspaces, random, extent);
  const hits = struck + (fault.hits?.(world) ?? 0) - before.hits;
  await settle(world, workspaces);
  const facts = await gatherAll(world, workspaces);
  const findings = [
    ...broken,
    ...(hits === 0 ? [wrong('The fault hit nothing, so it has shown nothing')] : []),
    ...facts.flatMap(checkWorkspace),
    ...(await checkAll(world)),
    ...traffic.faulty.slice(before.faulty).map(wrong),
  ];
  const total = (of: (facts: Facts) => number) => facts.reduce((sum, one) => sum + of(one), 0);
  return {
    fault: fault.name,
    strikes: fault.strikes.length,
    hits,
    recoverySeconds,
    requests: traffic.answered - before.answered,
    retries: traffic.retries - before.retries,
    replayed: traffic.replayed - before.replayed,
    putOff: new Map(
      [...traffic.putOff].map(([code, times]) => [code, times - (before.putOff.get(code) ?? 0)]),
    ),
    usage: total(({ usage }) => usage.length),
    invoices: total(({ invoices }) => invoices.length),
    deliveries: total(({ deliveries }) => [...deliveries.values()].flat().length),
    findings,
    controls: await tryControls(world, facts[0]!, controls),
    seconds: (performance.now() - began) / 1_000,
  };
}

/** The workspaces live until the last strike is over. What breaks a life off is a finding, not the end of the round. */
async function strikeUnderLoad(
  world: World,
  { strikes, extent: change }: Fault,
  workspaces: readonly Workspace[],
  random: Random,
  extent: Extent,
): Promise<{ struck: number; recoverySeconds: number; broken: Finding[] }> {
  const { journal } = world;
  const broken: Finding[] = [];
  let isOver = false;
  const lives = Promise.all(
    workspaces.map((workspace, index) =>
      liveThrough(workspace, random.of(`workspace ${index}`), { ...extent, ...change }, () => isOver).catch(
        (error: unknown) => {
          broken.push(wrong(`The load of ${workspace.name} broke off: ${(error as Error).message}`));
        },
      ),
    ),
  );
  let struck = 0;
  let longest = 0;
  for (const [index, strike] of strikes.entries()) {
    const chance = random.of(`strike ${index}`);
    await Promise.race([journal.reached(journal.answered + chance.int(...BETWEEN_STRIKES)), lives]);
    const started = performance.now();
    try {
      const hit = await strike(world, chance);
      if (hit === 0) throw new Error('It hit nothing, so it has shown nothing');
      struck += hit ?? 0;
      await world.fleet.ready();
    } catch (error) {
      broken.push(wrong(`Strike ${index + 1}: ${(error as Error).message}`));
    }
    longest = Math.max(longest, performance.now() - started);
  }
  isOver = true;
  await lives;
  return { struck, recoverySeconds: longest / 1_000, broken };
}

/**
 * Waits until every process runs and nothing is left to be done. A receiver that answers late has four deliveries at a time: what is for it
 * takes minutes, the more the faster the load was. So it waits as long as something gets done; the checks say what is left then.
 */
async function settle({ fleet, pool, feed }: World, workspaces: readonly Workspace[]): Promise<void> {
  await fleet.ready();
  const accounts = workspaces.map(({ workspaceId }) => workspaceId);
  let seen = '';
  let doneAt = performance.now();
  while (performance.now() - doneAt < STUCK_MILLIS) {
    const head = await feed.readHead();
    const { rows } = await pool.query<{ left: number; done: number; unrecorded: number; isRead: boolean }>(
      `SELECT count(*) FILTER (WHERE status IN ('pending', 'running')
           AND due_at <= CASE t.clock WHEN 'system' THEN now() ELSE coalesce(c.frozen_at, now()) END)::int AS left,
         count(*) FILTER (WHERE status = 'done')::int AS done,
         (SELECT count(*) FROM credits.wallets WHERE workspace_id = ANY ($1)
           AND (unsettled_since IS NOT NULL OR pending_since IS NOT NULL))::int
         + (SELECT count(*) FROM limits.notices WHERE workspace_id = ANY ($1))::int AS unrecorded,
         (SELECT min(position) FROM saga.checkpoints) >= $2 AS "isRead"
       FROM saga.tasks t JOIN workspaces.clocks c USING (workspace_id) WHERE workspace_id = ANY ($1)`,
      [accounts, head],
    );
    const { left, done, unrecorded, isRead } = rows[0]!;
    if (left === 0 && unrecorded === 0 && isRead) return;
    const now = `${left} ${done} ${unrecorded} ${isRead}`;
    if (now !== seen) doneAt = performance.now();
    seen = now;
    await pause(SETTLE_POLL_MILLIS);
  }
}

async function gatherAll(
  { journal, receivers, pool }: World,
  workspaces: readonly Workspace[],
): Promise<Facts[]> {
  const entries = await readJournal(journal.path);
  return Promise.all(workspaces.map((workspace) => gather(workspace, entries, receivers.arrivals, pool)));
}
