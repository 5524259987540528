import type { World } from '../world.ts';
import { CONTROLS, type ControlName, type Planted } from './controls.ts';
import { gather, type Facts } from './facts.ts';
import type { Finding } from './finding.ts';
import { CHECKS, CHECKS_OF_ALL, type CheckName, type CheckOfAllName } from './index.ts';

/** A defect that was to be planted, and whether the check for it found it. */
export interface Tried {
  name: ControlName;
  found: boolean;
  /** Why it could not be planted. */
  trouble?: string;
}

/** Plants the defects in a workspace, and says of each whether it was found. Then everything is as it was. */
export async function tryControls(
  world: World,
  facts: Facts,
  names: readonly ControlName[],
): Promise<Tried[]> {
  // Those of the log by themselves: with an event gone from it, what it is the measure of cannot be judged.
  const [ofLog, others] = [true, false].map((isOfLog) =>
    names.filter((name) => (CONTROLS[name].check === 'log') === isOfLog),
  );
  return [...(await tryTogether(world, facts, others!)), ...(await tryTogether(world, facts, ofLog!))];
}

async function tryTogether(
  world: World,
  { workspace, entries }: Facts,
  names: readonly ControlName[],
): Promise<Tried[]> {
  if (names.length === 0) return [];
  const { pool, receivers } = world;
  const planted: Planted[] = [];
  const troubles = new Map<ControlName, string>();
  const journal = (): Facts['entries'] => planted.at(-1)?.entries ?? entries;
  try {
    for (const name of names)
      await CONTROLS[name].plant(pool, { workspace, entries: journal() }).then(
        (one) => planted.push(one),
        (error: unknown) => troubles.set(name, (error as Error).message),
      );
    const facts = await gather(workspace, journal(), receivers.arrivals, pool);
    const found = await findingsOf(world, facts, new Set(names.map((name) => CONTROLS[name].check)));
    return names.map((name) => {
      const { check, says } = CONTROLS[name];
      const trouble = troubles.get(name);
      if (trouble !== undefined) return { name, found: false, trouble };
      return { name, found: found.get(check)!.some(({ text }) => says.test(text)) };
    });
  } finally {
    for (const { undo } of planted.reverse()) await undo();
  }
}

type AnyCheck = CheckName | CheckOfAllName;

async function findingsOf(
  world: World,
  facts: Facts,
  names: ReadonlySet<AnyCheck>,
): Promise<Map<AnyCheck, Finding[]>> {
  const found = new Map<AnyCheck, Finding[]>();
  for (const name of names)
    found.set(name, isOfAll(name) ? await CHECKS_OF_ALL[name](world) : CHECKS[name](facts));
  return found;
}

function isOfAll(name: AnyCheck): name is CheckOfAllName {
  return name in CHECKS_OF_ALL;
}
