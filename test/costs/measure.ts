import pg from 'pg';
import { startSystem } from '../support/system.ts';
import { holdGrants } from '../support/held-grants.ts';
import { createOneOfEverything } from '../support/one-of-everything.ts';
import { subscribeToFee, useEverything } from './drive.ts';
import { fill, type Filling } from './fill.ts';
import { PlanReader, type Execution } from './plans.ts';
import { Recorder } from './statements.ts';

/**
 * Fills a database of its own, uses the product on it, and executes once more, alone, every statement that it has sent.
 * Takes the server of `TEST_POSTGRES_URL`.
 *
 * @param times how often each, of which the shortest counts
 */
export async function executions(filling: Filling, times = 1): Promise<Execution[]> {
  const system = await startSystem();
  const owner = new pg.Pool({ connectionString: system.database.url, max: 2 });
  owner.on('error', () => undefined);
  try {
    const workspace = await system.workspace();
    const created = await createOneOfEverything(workspace);
    const [approvals] = await holdGrants(system, workspace, created['customers']!);
    const ids = { ...created, approvals: approvals! };
    await subscribeToFee(workspace);
    await fill(owner, { workspaceId: workspace.workspaceId, ids }, filling);
    const recorder = new Recorder();
    try {
      await useEverything(workspace, ids, recorder, owner);
    } finally {
      recorder.stop();
    }
    const reader = new PlanReader(system.database.url, times);
    await reader.open();
    const executed: Execution[] = [];
    for (const statement of recorder.statements) executed.push(await reader.execute(statement));
    await reader.close();
    return executed;
  } finally {
    await owner.end();
    await system.stop();
  }
}
