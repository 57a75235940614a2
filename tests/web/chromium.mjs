/* chromium.mjs — headless Chromium for the browser tests: of this process alone, or one that several share by its address. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const source = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const packages = createRequire(join(source, 'web', 'package.json'));

/* Nothing was tested, and why. */
export function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

export const packagePath = (name) => packages.resolve(name);

/* A package of web/; where it is missing nothing is tested. */
export function need(name) {
  try {
    return packages(name);
  } catch {
    return skip(`${name} is missing (npm ci in web/)`);
  }
}

/* The shell is the same engine without windows around it: half of the processor time. */
const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!executablePath) skip('no Chromium (scripts/setup.sh test installs it)');
const { chromium } = need('playwright-core');
const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export const startShared = () => chromium.launchServer({ executablePath, args });
export const startOrJoin = (address) => (address ? chromium.connect(address) : chromium.launch({ executablePath, args }));
