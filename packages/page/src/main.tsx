// Starts the page.

import { render } from 'preact'
import { App } from './app.tsx'
import { findKey } from './session/tab-keys.ts'

render(<App found={await findKey()} />, document.getElementById('app') as HTMLElement)
