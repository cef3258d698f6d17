"""The extension that everything here is added to."""

import loomir

extension = loomir.Extension("acme")
