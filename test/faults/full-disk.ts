import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { DISK_MEGABYTES, fullDisk, onDisk } from './faults/full-disk.ts';
import { SmallDisk } from '../support/small-disk.ts';
import type { Random } from './load/random.ts';
import { playRound, type Report, type RoundOptions } from './round.ts';
import { World } from './world.ts';

/**
 * A round with a data folder whose disk is full for a while, with a fleet of its own in this folder. Undefined, with the
 * reason told, where this machine has no small disk for it.
 */
export async function playFullDisk(
  folder: string,
  random: Random,
  options: RoundOptions,
  told: (reason: string) => void,
): Promise<Report | undefined> {
  const disk = await SmallDisk.mount(join(folder, 'disk'), DISK_MEGABYTES, told);
  if (!disk) return undefined;
  try {
    const world = await World.begin({ folder, copies: 1, ...onDisk(disk) }, random);
    try {
      return await playRound(world, 'full', fullDisk(disk), random, options);
    } finally {
      await world.end();
    }
  } finally {
    // The disk goes; what went wrong on it must be found afterwards.
    await cp(join(disk.folder, 'logs'), join(folder, 'logs'), { recursive: true });
    await disk.unmount();
  }
}
