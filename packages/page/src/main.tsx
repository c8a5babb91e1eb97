// The page's start.

import { render } from 'preact'
import { App } from './app.tsx'
import { findKey } from './tab-keys.ts'

render(<App found={await findKey()} />, document.getElementById('app') as HTMLElement)
