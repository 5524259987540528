#!/usr/bin/env node
// The entry point of every command: `npm start`, `npm test`, `npm run dev` and `countinghouse`. The program runs on the Node of the
// machine. It installs missing packages, builds changed sources, and then runs the command on the pinned Node. It prints the help of
// `start` without an installation.

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `Countinghouse needs Node 20.19 or newer, but this is ${process.version}: see https://nodejs.org\n`,
  );
  process.exit(1);
}

// These modules are loaded after the version check, since an older Node cannot parse their syntax.
const { constants } = await import('node:os');
const { handleStopSignals, firstStopSignal } = await import('./bootstrap/ending.mjs');
handleStopSignals();
const { install, isInstalled } = await import('./bootstrap/install.mjs');
const { build } = await import('./bootstrap/build.mjs');
const { runPinned } = await import('./bootstrap/run.mjs');
const { asksForStartHelp, startHelp } = await import('./bootstrap/start-help.mjs');
const args = process.argv.slice(2);

try {
  if (asksForStartHelp(args) && !(await isInstalled())) {
    process.stdout.write(await startHelp());
  } else {
    await install();
    await build();
    process.exitCode = await runPinned(args);
  }
} catch (error) {
  const signal = firstStopSignal();
  if (signal === undefined) process.stderr.write(`${error.message}\n`);
  process.exitCode = signal === undefined ? 1 : 128 + constants.signals[signal];
}
