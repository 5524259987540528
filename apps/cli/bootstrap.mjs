#!/usr/bin/env node
// The way into every command: `npm start`, `npm test`, `npm run dev` and `countinghouse` come through here on whatever
// Node the machine has. It makes sure that packages and build are current, then runs the command on the pinned Node.

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `Countinghouse needs Node 20.19 or newer, and this is ${process.version}: see https://nodejs.org\n`,
  );
  process.exit(1);
}

// Loaded only now, since an older Node could not even parse what these use.
const { constants } = await import('node:os');
const { listenForEnd, toldToEnd } = await import('./bootstrap/ending.mjs');
listenForEnd();
const { install } = await import('./bootstrap/install.mjs');
const { build } = await import('./bootstrap/build.mjs');
const { runPinned } = await import('./bootstrap/run.mjs');

try {
  await install();
  await build();
  process.exitCode = await runPinned(process.argv.slice(2));
} catch (error) {
  const signal = toldToEnd();
  if (signal === undefined) process.stderr.write(`${error.message}\n`);
  process.exitCode = signal === undefined ? 1 : 128 + constants.signals[signal];
}
