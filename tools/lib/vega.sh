# SPDX-License-Identifier: Apache-2.0
# Vega and Vega-Lite, which draw the charts of `wideload lab --html`: JavaScript from a wheel that carries them (BSD licence),
# in build/vega. CMake looks there: lab/CMakeLists.txt.

vega_folder="$root/build/vega"
vega_wheel="altair_viewer==0.4.0"

missing_vega() {
    [ -e "$vega_folder/vega.js" ] && [ -e "$vega_folder/vega-lite.js" ] || echo "$vega_wheel"
}

install_vega() {
    echo "setup: installing from PyPI into build/vega: $vega_wheel"
    local python="$root/build/python" new="$vega_folder.new" scripts
    [ -x "$python/bin/pip" ] || python3 -m venv "$python"
    rm -rf "$new"
    "$python/bin/pip" install -q --disable-pip-version-check --no-deps --target "$new" "$vega_wheel"
    scripts="$new/altair_viewer/scripts"
    mkdir -p "$vega_folder"
    cp "$scripts/vega-lite-4.17.0.js" "$vega_folder/vega-lite.js"
    cp "$scripts/vega-5.21.0.js" "$vega_folder/vega.js"
    cp "$new"/altair_viewer-*.dist-info/LICENSE "$vega_folder/LICENSE"
    rm -rf "$new"
}
